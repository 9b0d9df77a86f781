import { expect, it } from 'vitest';
import { type LiveEvent, LiveServerFrame } from '../../../protocol/live.js';
import { chatItem, newChat } from '../chats/chat.js';
import type { Message } from '../chats/message.js';
import { gatherMessages, messageEvent, newestEvents } from './coalesce-events.js';
import { eventsOf } from './events.js';

const id = (letter: string) => `01JD000000000000000000000${letter}`;
const at = new Date('2026-11-21T10:00:00.000Z');
const chat = (letter: string, version: number) =>
  chatItem({
    ...newChat(
      {
        chatId: id(letter),
        projectId: id('P'),
        userId: id('A'),
        topic: null,
        workspaceId: null,
        taskId: null,
      },
      at,
    ),
    version,
    lastSequence: version,
  });

it('keeps only the newest event of each topic', () => {
  const flood: LiveEvent[] = [];
  for (let version = 2; version <= 1_000; version += 1)
    for (const letter of ['C', 'D'])
      flood.push(...eventsOf(chat(letter, version - 1), chat(letter, version)));

  const events = newestEvents(flood);

  expect(events.map(({ topic }) => topic)).toEqual([
    `chat:${id('C')}`,
    `project:${id('P')}`,
    `chat:${id('D')}`,
    `project:${id('P')}`,
  ]);
  for (const message of events)
    expect(message).toMatchObject({ version: 1_000, data: { lastSequence: 1_000 } });
});

it('keeps every boot log entry', () => {
  const entry = {
    step: 'git_clone',
    status: 'started',
    message: 'Cloning',
    timestamp: at.toISOString(),
  } as const;
  const events = ['1', '2', '3'].map(
    (letter): LiveEvent => ({
      type: 'workspace.boot_log',
      topic: `workspace:${id('W')}`,
      data: { workspaceId: id('W'), entryId: id(letter), generation: 1, entry },
    }),
  );

  expect(newestEvents(events)).toEqual(events);
});

const chatId = '01JD0000000000000000000000';
const other = '01JD0000000000000000000001';

const messageWith = (sequence: number, overrides: Partial<Message> = {}): LiveEvent =>
  messageEvent({
    ...{ chatId, projectId: chatId, sequence, messageId: `m-${sequence}`, role: 'assistant' },
    ...{ content: `${sequence}`, toolMetadata: null, origin: null, createdAt: '2026-11-21T10:00:00.000Z' },
    ...overrides,
  });

const contents = (message: LiveEvent | undefined) =>
  message?.type === 'messages.batch' ? message.data.messages.map(({ content }) => content) : undefined;

it('puts the messages of a chat in one batch, in sequence, before all other events', () => {
  const status: LiveEvent = {
    ...{ type: 'workspace.status', topic: `workspace:${chatId}`, version: 1 },
    data: { workspaceId: chatId, status: 'running', errorMessage: null },
  };

  const events = gatherMessages([status, messageWith(2), messageWith(1, { chatId: other }), messageWith(1)]);

  expect(events.map(({ type, topic }) => `${type} ${topic}`)).toEqual([
    `messages.batch chat:${chatId}`,
    `message.new chat:${other}`,
    `workspace.status workspace:${chatId}`,
  ]);
  expect(contents(events[0])).toEqual(['1', '2']);
});

it('omits the content of a message that is too long for a frame, and keeps its id and sequence', () => {
  const long = 'é'.repeat(20_000);

  const [batch] = gatherMessages([
    messageWith(1, { content: long, toolMetadata: { title: long } }),
    messageWith(2),
  ]);

  expect(contents(batch)).toEqual([null, '2']);
  expect(batch).toMatchObject({
    data: { messages: [{ id: 'm-1', sequence: 1, content: null, toolMetadata: null }, {}] },
  });
});

it('keeps a batch below 32 KiB', () => {
  const flood = Array.from({ length: 25 }, (_, index) =>
    messageWith(index + 1, { content: '\u0001'.repeat(900) }),
  );

  const events = gatherMessages(flood);

  expect(events).toHaveLength(1);
  expect(Buffer.byteLength(JSON.stringify(events[0]))).toBeLessThan(32 * 1024);
  expect(contents(events[0])?.some((content) => content === null)).toBe(true);
  expect(contents(events[0])?.some((content) => content !== null)).toBe(true);
});

it('builds batches that the protocol accepts, with and without content', () => {
  const events = gatherMessages([messageWith(1), messageWith(2, { content: 'x'.repeat(40_000) })]);

  expect(events.map((message) => LiveServerFrame.parse(message))).toEqual(events);
});
