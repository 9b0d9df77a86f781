import { expect, it } from 'vitest';
import { groupOf, inWords } from './task-state.js';

it.each([
  ['draft', null, 'drafts', 'Draft'],
  ['queued', 'waiting_for_node_capacity', 'working', 'Waiting for a node'],
  ['in_progress', 'running', 'working', 'The agent works'],
  ['in_progress', 'awaiting_followup', 'needs-you', 'The agent waits for you'],
  ['sleeping', 'awaiting_followup', 'needs-you', 'Sleeps until your next message'],
  ['failed', 'agent_session', 'done', 'Failed'],
  ['completed', null, 'done', 'Completed'],
] as const)('lists a task that is %s at %s under %s: %s', (status, executionStep, group, words) => {
  expect(groupOf({ status, executionStep })).toBe(group);
  expect(inWords({ status, executionStep })).toBe(words);
});
