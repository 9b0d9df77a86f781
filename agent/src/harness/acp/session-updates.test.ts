import { expect, it } from 'vitest';
import { readUpdate } from './session-updates.js';

const chunk = (content: unknown, more: object = {}) => ({
  sessionId: 's',
  update: { sessionUpdate: 'agent_message_chunk', content, ...more },
});

it.each([
  ['a piece of text', chunk({ type: 'text', text: 'a', annotations: null })],
  ['a picture', chunk({ type: 'image', data: '', mimeType: 'image/png' })],
  ['a kind that is newer than this', { sessionId: 's', update: { sessionUpdate: 'dance', steps: 3 } }],
])('passes %s unchanged', (_, params) => {
  expect(readUpdate(params)).toBe(params);
});

it.each([
  ['nothing', undefined],
  ['a text', 'update'],
  ['an update of no session', { update: chunk({ type: 'text', text: 'a' }).update }],
  ['no update', { sessionId: 's' }],
  ['a piece of nothing', chunk(undefined)],
  ['a tool without an id', { sessionId: 's', update: { sessionUpdate: 'tool_call', title: 'Read' } }],
])('ignores %s', (_, params) => {
  expect(readUpdate(params)).toBeNull();
});
