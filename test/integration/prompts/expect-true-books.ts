import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { loneMark } from '../../../lambdas/domain/prompts/lone-prompt.js';
import { type DeliveryState, Prompt, promptPrefix } from '../../../lambdas/domain/prompts/prompt.js';
import { waitingEverywhere, waitingPrefix } from '../../../lambdas/domain/prompts/waiting-prompt.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { itemsOf } from './a-chat.js';

/** What is written beside a chat says the same as the chat and its prompts; of a project with this one chat. */
export async function expectTrueBooks(table: Table, chat: Chat): Promise<void> {
  const inQueue = await countQueue(table, chat.chatId);
  expect(await queuedInProject(table, chat.projectId)).toBe(inQueue);
  const alone = await findAlone(table, chat.chatId);
  expect(alone.map(loneMark)).toEqual(chat.lone === undefined ? [] : [chat.lone]);
  expect(chat.queuedPrompts).toBe(inQueue + alone.length);
  expect(chat.confirmDueAt).toBe(await markedUntil(table, chat.chatId));
  // What a chat has ended with is asked about by who ends it.
  if (chat.unconfirmedId && !chat.shutdownId) expect(chat.confirmDueAt).toBeDefined();
}

/** As many as the limit of a project is held against. */
export async function queuedInProject(table: Table, projectId: string): Promise<number> {
  const item = await read(table, { pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' });
  return Number(item?.queuedPrompts ?? 0);
}

async function countQueue(table: Table, chatId: string): Promise<number> {
  const items = await itemsOf(table, chatId, waitingPrefix);
  return items.filter(({ ackDueAt }) => ackDueAt === undefined).length;
}

/** Of the prompts themselves, those that the sweep would find: such as wait alone, and no other. */
async function findAlone(table: Table, chatId: string): Promise<readonly Prompt[]> {
  const items = await itemsOf(table, chatId, promptPrefix);
  const prompts = items
    .filter(({ parentPk }) => parentPk === waitingEverywhere)
    .map((item) => Prompt.parse(item));
  expect(prompts.every(({ deliveryState }) => isUnsettled.includes(deliveryState))).toBe(true);
  expect(prompts.filter(({ isLone }) => isLone)).toHaveLength(items.filter(({ isLone }) => isLone).length);
  return prompts;
}

const isUnsettled: readonly DeliveryState[] = ['queued', 'delivering', 'retry_wait'];

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
