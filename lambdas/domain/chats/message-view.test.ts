import fc from 'fast-check';
import { expect, it } from 'vitest';
import { messageRoles } from '../../../protocol/chat-messages.js';
import type { Message } from './message.js';
import { joinFragments } from './message-view.js';

const chat = (roles: readonly Message['role'][], content = (at: number) => `${at} `): Message[] =>
  roles.map((role, index) => ({
    chatId: '01K0000000000000000000000C',
    projectId: '01K0000000000000000000000P',
    sequence: index + 1,
    messageId: `m${index + 1}`,
    role,
    content: content(index + 1),
    toolMetadata: null,
    origin: null,
    createdAt: '2026-11-21T10:00:00.000Z',
  }));

it('joins neighbouring fragments of an agent, and no other messages', () => {
  const joined = joinFragments(chat(['user', 'user', 'assistant', 'assistant', 'tool', 'assistant']));

  expect(
    joined.map(({ role, content, sequence, lastSequence }) => [role, content, sequence, lastSequence]),
  ).toEqual([
    ['user', '1 ', 1, 1],
    ['user', '2 ', 2, 2],
    ['assistant', '3 4 ', 3, 4],
    ['tool', '5 ', 5, 5],
    ['assistant', '6 ', 6, 6],
  ]);
});

it('joins the same fragments in both reading directions, and loses no text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...messageRoles), { maxLength: 30 }), (roles) => {
      const messages = chat(roles);
      const forwards = joinFragments(messages);
      expect(joinFragments([...messages].reverse()).reverse()).toEqual(forwards);
      expect(forwards.map(({ content }) => content).join('')).toBe(
        messages.map(({ content }) => content).join(''),
      );
    }),
  );
});

it('does not join fragments that a filter made neighbours', () => {
  const messages = chat(['assistant', 'tool', 'assistant']).filter(({ role }) => role === 'assistant');

  expect(joinFragments(messages)).toHaveLength(2);
});
