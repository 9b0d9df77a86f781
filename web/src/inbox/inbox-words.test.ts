import { expect, it } from 'vitest';
import { byProject, countInWords, inboxWords } from './inbox-words.js';

it.each([
  ['interaction', 'permission', 'Asks for permission'],
  ['interaction', 'another', 'Asks you'],
  ['question', 'decision', 'Asks a question'],
  ['message', 'ambiguous', 'It is not known whether the message arrived'],
  ['message', 'expired', 'Message not delivered'],
  ['sleep', 'retry_ceiling', 'The workspace cannot sleep'],
  [
    ...(['eviction', 'memory_pressure'] as const),
    'The workspace was stopped, because its node was short of memory or disk',
  ],
  ['eviction', 'oom_kill', 'The workspace was stopped, because it ran out of memory'],
  ['ownership', 'offered', 'You are offered the ownership of the project'],
  ['task', 'completed', 'Completed'],
  ['task', 'failed', 'Failed'],
] as const)('says of %s %s: %s', (kind, reason, text) => {
  expect(inboxWords({ kind, reason }).text).toBe(text);
});

it('counts up to 99', () => {
  expect([0, 99, 100].map(countInWords)).toEqual(['0', '99', '99+']);
});

it('keeps the order of items in projects, and of projects', () => {
  const items = ['b1', 'a1', 'b2'].map((id) => ({ id, projectId: id.charAt(0) }));
  expect(byProject(items)).toEqual([
    ['b', [items[0], items[2]]],
    ['a', [items[1]]],
  ]);
});
