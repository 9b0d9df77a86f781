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

it('tells of a flood of changes once a topic, with what came last', () => {
  const flood: LiveEvent[] = [];
  for (let version = 2; version <= 1_000; version += 1)
    for (const letter of ['C', 'D'])
      flood.push(...eventsOf(chat(letter, version - 1), chat(letter, version)));

  const told = newestEvents(flood);

  expect(told.map(({ topic }) => topic)).toEqual([
    `chat:${id('C')}`,
    `project:${id('P')}`,
    `chat:${id('D')}`,
    `project:${id('P')}`,
  ]);
  for (const message of told)
    expect(message).toMatchObject({ version: 1_000, data: { lastSequence: 1_000 } });
});

it('keeps every entry of a boot log', () => {
  const entry = {
    step: 'git_clone',
    status: 'started',
    message: 'Cloning',
    timestamp: at.toISOString(),
  } as const;
  const told = ['1', '2', '3'].map(
    (letter): LiveEvent => ({
      type: 'workspace.boot_log',
      topic: `workspace:${id('W')}`,
      data: { workspaceId: id('W'), entryId: id(letter), generation: 1, entry },
    }),
  );

  expect(newestEvents(told)).toEqual(told);
});

const chatId = '01JD0000000000000000000000';
const other = '01JD0000000000000000000001';

const said = (sequence: number, overrides: Partial<Message> = {}): LiveEvent =>
  messageEvent({
    ...{ chatId, projectId: chatId, sequence, messageId: `m-${sequence}`, role: 'assistant' },
    ...{ content: `${sequence}`, toolMetadata: null, origin: null, createdAt: '2026-11-21T10:00:00.000Z' },
    ...overrides,
  });

const contents = (message: LiveEvent | undefined) =>
  message?.type === 'messages.batch' ? message.data.messages.map(({ content }) => content) : undefined;

it('is one frame a chat, in its order and before the rest', () => {
  const status: LiveEvent = {
    ...{ type: 'workspace.status', topic: `workspace:${chatId}`, version: 1 },
    data: { workspaceId: chatId, status: 'running', errorMessage: null },
  };

  const told = gatherMessages([status, said(2), said(1, { chatId: other }), said(1)]);

  expect(told.map(({ type, topic }) => `${type} ${topic}`)).toEqual([
    `messages.batch chat:${chatId}`,
    `message.new chat:${other}`,
    `workspace.status workspace:${chatId}`,
  ]);
  expect(contents(told[0])).toEqual(['1', '2']);
});

it('leaves out of its order what is too long for a frame, and says where it stands', () => {
  const long = 'é'.repeat(20_000);

  const [told] = gatherMessages([said(1, { content: long, toolMetadata: { title: long } }), said(2)]);

  expect(contents(told)).toEqual([null, '2']);
  expect(told).toMatchObject({
    data: { messages: [{ id: 'm-1', sequence: 1, content: null, toolMetadata: null }, {}] },
  });
});

it('never is longer than a frame, however much was said', () => {
  const flood = Array.from({ length: 25 }, (_, index) => said(index + 1, { content: '\u0001'.repeat(900) }));

  const told = gatherMessages(flood);

  expect(told).toHaveLength(1);
  expect(Buffer.byteLength(JSON.stringify(told[0]))).toBeLessThan(32 * 1024);
  expect(contents(told[0])?.some((content) => content === null)).toBe(true);
  expect(contents(told[0])?.some((content) => content !== null)).toBe(true);
});

it('is of the protocol, with content and without', () => {
  const told = gatherMessages([said(1), said(2, { content: 'x'.repeat(40_000) })]);

  expect(told.map((message) => LiveServerFrame.parse(message))).toEqual(told);
});
