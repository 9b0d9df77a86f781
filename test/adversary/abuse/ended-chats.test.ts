import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Chat, chatItem, chatKey, newChat } from '../../../lambdas/domain/chats/chat.js';
import { createChat } from '../../../lambdas/domain/chats/create-chat.js';
import { deleteEndedChats, endedChatDays } from '../../../lambdas/domain/chats/ended-chats.js';
import { messageKey } from '../../../lambdas/domain/chats/message.js';
import { maxOpenChats, openChatsKey } from '../../../lambdas/domain/chats/open-chats.js';
import { existingItems } from '../../../lambdas/domain/records/batch-items.js';
import { workspaceItem } from '../../../lambdas/domain/workspaces/workspace.js';
import { newId } from '../../../lambdas/shared/ids.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { putItem } from '../../support/project.js';
import { placedWorkspace } from '../../support/records.js';
import { emptyTable } from '../../support/table.js';
import { testObjects } from '../../support/uploads.js';

// Somebody begins and stops chats without end: each of them is deleted one day.

const now = new Date();
const contents = testObjects();
const messages = 150;
let table: Table;
let userId: string;

beforeAll(async () => {
  table = await emptyTable();
  const s3 = new S3Client({ forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: contents.bucket })).catch(() => undefined);
});
beforeEach(() => {
  userId = newId();
});

function aChat(changes: Partial<Chat> = {}): Chat {
  const of = { chatId: newId(), projectId: newId(), userId, topic: null, workspaceId: null, taskId: null };
  return { ...newChat(of, now), ...changes };
}

const stopped: Partial<Chat> = { status: 'stopped', endedAt: now.toISOString(), messageCount: messages };

/** An ended chat with messages, which has left the full count of its person. */
async function anEndedChat(changes: Partial<Chat> = {}): Promise<Chat> {
  const chat = aChat({ ...stopped, ...changes });
  await putItem(table, chatItem(chat));
  for (let sequence = 1; sequence <= messages; sequence += 1)
    await putItem(table, { ...messageKey(chat.chatId, sequence), entity: 'message' });
  const others = Array.from({ length: maxOpenChats - 1 }, () => aChat());
  for (const other of others) await putItem(table, chatItem(other));
  const chatIds = new Set([chat, ...others].map(({ chatId }) => chatId));
  await putItem(table, { ...openChatsKey(userId), chatIds });
  await createChat(table, aChat(), now);
  return chat;
}

const sweep = (days: number) =>
  deleteEndedChats({ table, contents, now: new Date(now.getTime() + days * 24 * 60 * 60 * 1_000) });

const itemsOf = async ({ chatId }: Chat): Promise<number> => {
  const keys = Array.from({ length: messages }, (_, index) => messageKey(chatId, index + 1));
  return (await existingItems(table, [chatKey(chatId), ...keys])).length;
};

it('keeps an ended chat with its messages for a year, and then deletes all of it', async () => {
  const chat = await anEndedChat();

  await sweep(endedChatDays - 1);
  expect(await itemsOf(chat)).toBe(messages + 1);
  await sweep(endedChatDays + 1);

  expect(await itemsOf(chat)).toBe(0);
});

/** A chat, and the change after which nothing can continue it. */
interface Kept {
  readonly chat: Chat;
  readonly end: () => Promise<unknown>;
}

async function aResumedChat(): Promise<Kept> {
  const chat = await anEndedChat();
  await putItem(table, chatItem({ ...chat, status: 'active', endedAt: null }));
  return { chat, end: () => putItem(table, chatItem(chat)) };
}

async function aChatOfAStoppedWorkspace(): Promise<Kept> {
  const { workspace } = await placedWorkspace(table, { userId, status: 'stopped' });
  const { workspaceId } = workspace;
  const chat = await anEndedChat({ workspaceId, endReason: 'workspace_stopped' });
  return { chat, end: () => putItem(table, workspaceItem({ ...workspace, status: 'deleted' })) };
}

it.each([
  ['was resumed', aResumedChat],
  ['a restart of its workspace can resume', aChatOfAStoppedWorkspace],
])('keeps a chat that %s for one more year', async (_what, make) => {
  const { chat, end } = await make();

  await sweep(endedChatDays + 1);
  expect(await itemsOf(chat)).toBe(messages + 1);
  await end();
  await sweep(endedChatDays + 2);
  expect(await itemsOf(chat)).toBe(messages + 1);
  await sweep(2 * endedChatDays + 2);

  expect(await itemsOf(chat)).toBe(0);
});
