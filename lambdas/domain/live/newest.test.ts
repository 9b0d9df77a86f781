import { expect, it } from 'vitest';
import type { LiveEvent } from '../../../protocol/live.js';
import { chatItem, newChat } from '../chats/chat.js';
import { messagesOf } from './messages.js';
import { newest } from './newest.js';

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
      flood.push(...messagesOf(chat(letter, version - 1), chat(letter, version)));

  const told = newest(flood);

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

  expect(newest(told)).toEqual(told);
});
