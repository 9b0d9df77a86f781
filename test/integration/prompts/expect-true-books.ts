import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { queueOf, readPrompt } from './a-chat.js';

/** What is written beside a chat says the same as the chat and its prompts; of a project with this one chat. */
export async function expectTrueBooks(table: Table, chat: Chat): Promise<void> {
  expect(await queuedInProject(table, chat.projectId)).toBe(await countedIn(table, chat.chatId));
  expect(chat.confirmDueAt).toBe(await markedUntil(table, chat.chatId));
  // What a chat has ended with is asked about by who ends it.
  if (chat.unconfirmedId && !chat.shutdownId) expect(chat.confirmDueAt).toBeDefined();
}

/** As many as the limit of a project is held against. */
export async function queuedInProject(table: Table, projectId: string): Promise<number> {
  const item = await read(table, { pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' });
  return Number(item?.queuedPrompts ?? 0);
}

async function countedIn(table: Table, chatId: string): Promise<number> {
  const waiting = await queueOf(table, chatId);
  const prompts = await Promise.all(waiting.map((deliveryId) => readPrompt(table, chatId, deliveryId)));
  const isQueued = prompts.filter(({ deliveryState }) => deliveryState !== 'delivered');
  return isQueued.filter(({ isCounted }) => isCounted).length;
}

/** By the mark that the sweep reads; nothing where there is none. */
async function markedUntil(table: Table, chatId: string): Promise<string | undefined> {
  const item = await read(table, { pk: `CHAT#${chatId}`, sk: 'CONFIRM' });
  return item && String(item.parentSk).split('#')[0];
}

async function read(table: Table, Key: { readonly pk: string; readonly sk: string }) {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return Item;
}
