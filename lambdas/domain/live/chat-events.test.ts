import { expect, it } from 'vitest';
import type { Attention } from '../chats/chat.js';
import { type Chat, newChat } from '../chats/chat.js';
import { chatEvents } from './chat-events.js';

const chatId = '01JD0000000000000000000000';
const projectId = '01JD000000000000000000000P';
const at = '2026-11-21T10:00:00.000Z';
const chat = newChat(
  { chatId, projectId, userId: projectId, topic: 'Greet', workspaceId: null, taskId: null },
  new Date(at),
);
const attention: Attention = {
  ...{ messageId: 'm-3', category: 'decision', context: 'Which?', options: [], requestedAt: at },
};

const later = (overrides: Partial<Chat>): Chat => ({ ...chat, version: 2, ...overrides });
const eventNames = (before: Chat | undefined, after: Chat) =>
  chatEvents(before, after).map(({ type, topic }) => `${type} ${topic}`);

it.each([
  ['created', undefined, chat],
  ['updated', chat, later({ lastSequence: 1 })],
  ['sleeping', chat, later({ status: 'sleeping' })],
  ['woke', { ...chat, status: 'sleeping' }, later({ status: 'active' })],
  ['archived', chat, later({ status: 'stopped', endReason: 'workspace_archived' })],
  ['stopped', chat, later({ status: 'stopped' })],
  ['failed', chat, later({ status: 'error' })],
] as const)(
  'publishes that a chat is %s on the topics of the chat and its project',
  (what, before, after) => {
    expect(eventNames(before, after)).toEqual([
      `session.${what} chat:${chatId}`,
      `session.${what} project:${projectId}`,
    ]);
  },
);

it('publishes a changed agent activity on the topic of the chat', () => {
  const activity = {
    ...({ activity: 'prompting', activityAt: at, promptStartedAt: 5, agentType: null } as const),
    ...{ restartCount: 0, statusError: null },
  };
  const working = later({ activity });

  expect(chatEvents(chat, working)).toContainEqual({
    ...{ type: 'session.activity', topic: `chat:${chatId}`, version: 2 },
    data: { sessionId: chatId, activity: 'prompting', promptStartedAt: 5, statusError: null },
  });
});

it('publishes nothing when no visible field changed', () => {
  const activity = {
    ...({ activity: 'idle', activityAt: at, promptStartedAt: null, agentType: null } as const),
    ...{ restartCount: 0, statusError: null },
  };
  const idle = later({ activity });
  const again = { ...idle, version: 3, activity: { ...activity, activityAt: '2026-11-21T10:01:00.000Z' } };

  expect(chatEvents(idle, again)).toEqual([]);
  expect(chatEvents(chat, later({ deliveringId: chatId, cursor: null, contentBytes: 7 }))).toEqual([]);
});

it('publishes that an agent asks a person, and that the question is resolved, without its text', () => {
  const asking = later({ attention });

  expect(chatEvents(chat, asking)).toContainEqual({
    ...{ type: 'attention.created', topic: `project:${projectId}`, version: 2 },
    data: {
      ...{ sessionId: chatId, messageId: 'm-3', category: 'decision' },
      ...{ markerId: 'm-3', source: 'human_input' },
    },
  });
  expect(eventNames(asking, { ...chat, version: 3 })).toContain(`attention.resolved chat:${chatId}`);
  expect(eventNames(asking, { ...asking, version: 3 }).join()).not.toContain('attention');
  expect(eventNames(asking, later({ attention: { ...attention, messageId: 'm-5' } })).join()).not.toContain(
    'resolved',
  );
});

it('publishes each interaction that waits, and its end, beside the question', () => {
  const asking = later({ attention, openInteractions: new Set(['i-1']) });
  const both = { ...asking, version: 3, openInteractions: new Set(['i-1', 'i-2']) };

  expect(chatEvents(asking, both)).toContainEqual({
    ...{ type: 'attention.created', topic: `chat:${chatId}`, version: 3 },
    data: { sessionId: chatId, markerId: 'i-2', source: 'acp_interaction' },
  });
  const { openInteractions: _, ...answered } = { ...asking, version: 4 };
  expect(chatEvents(asking, answered)).toEqual([
    expect.objectContaining({ type: 'attention.resolved', topic: `chat:${chatId}` }),
    expect.objectContaining({ type: 'attention.resolved', topic: `project:${projectId}` }),
  ]);
});
