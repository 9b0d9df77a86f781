import { expect, it } from 'vitest';
import type { HostStatus } from '../../../protocol/agent-sessions.js';
import type { PromptStopReason } from './conversation.js';
import { conversationActivity } from './conversation-activity.js';

it.each<[PromptStopReason, object]>([
  ['end_turn', { activity: 'idle' }],
  ['cancelled', { activity: 'idle' }],
  ['recovered', { activity: 'idle', statusError: 'why' }],
  ['checkpoint_preempted', { activity: 'idle' }],
  ['error', { activity: 'idle', statusError: 'why' }],
  ['fatal_error', { activity: 'error', statusError: 'why' }],
])('reports a turn that ended with %s as %j', (stopReason, activity) => {
  const end = { stopReason, errorMessage: 'why', errorCode: '', promptStartedAt: 1 };

  expect(conversationActivity.ofEnd(end)).toEqual(activity);
});

it.each<[HostStatus, object | null]>([
  ['starting', { activity: 'recovering' }],
  ['recovering', { activity: 'recovering' }],
  ['ready', { activity: 'idle' }],
  ['idle', { activity: 'idle' }],
  ['stopped', { activity: 'idle' }],
  ['error', { activity: 'error', statusError: 'why' }],
  ['prompting', null],
])('reports the host status %s as %j', (status, activity) => {
  expect(conversationActivity.ofHost(status, 'why')).toEqual(activity);
});
