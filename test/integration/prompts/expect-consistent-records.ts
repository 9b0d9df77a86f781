import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import type { Chat } from '../../../lambdas/domain/chats/chat.js';
import { type DeliveryState, Prompt, promptPrefix } from '../../../lambdas/domain/prompts/prompt.js';
import { unqueuedRef } from '../../../lambdas/domain/prompts/queue.js';
import { duePartition, queuePrefix } from '../../../lambdas/domain/prompts/queue-items.js';
import type { Table } from '../../../lambdas/shared/table.js';
import { itemsOf } from './a-chat.js';

/** The items beside a chat agree with the chat and its prompts. The project has no other chat. */
export async function expectConsistentRecords(table: Table, chat: Chat): Promise<void> {
  const inQueue = await countQueue(table, chat.chatId);
  expect(await queuedInProject(table, chat.projectId)).toBe(inQueue);
  const alone = await findUnqueued(table, chat.chatId);
  expect(alone.map(unqueuedRef)).toEqual(chat.unqueued === undefined ? [] : [chat.unqueued]);
  expect(chat.queuedPrompts).toBe(inQueue + alone.length);
  expect(chat.confirmAt).toBe(await confirmMarkerDue(table, chat.chatId));
  // A shutdown prompt is checked by the end of its task.
  if (chat.unconfirmedId && !chat.shutdownId) expect(chat.confirmAt).toBeDefined();
}

/** The queued prompts that count towards the limit of the project. */
export async function queuedInProject(table: Table, projectId: string): Promise<number> {
  const item = await read(table, { pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' });
  return Number(item?.queuedPrompts ?? 0);
}

async function countQueue(table: Table, chatId: string): Promise<number> {
  const items = await itemsOf(table, chatId, queuePrefix);
  return items.filter(({ ackDueAt }) => ackDueAt === undefined).length;
}

/** The prompts that the sweep finds by their own index keys: only unqueued ones. */
async function findUnqueued(table: Table, chatId: string): Promise<readonly Prompt[]> {
  const items = await itemsOf(table, chatId, promptPrefix);
  const prompts = items.filter(({ parentPk }) => parentPk === duePartition).map((item) => Prompt.parse(item));
  expect(prompts.every(({ deliveryState }) => isPending.includes(deliveryState))).toBe(true);
  expect(prompts.filter(({ isUnqueued }) => isUnqueued)).toHaveLength(
    items.filter(({ isUnqueued }) => isUnqueued).length,
  );
  return prompts;
}

const isPending: readonly DeliveryState[] = ['queued', 'delivering', 'retry_wait'];

/** When the confirm marker of the chat is due; undefined without one. */
async function confirmMarkerDue(table: Table, chatId: string): Promise<string | undefined> {
  const item = await read(table, { pk: `CHAT#${chatId}`, sk: 'CONFIRM' });
  return item && String(item.parentSk).split('#')[0];
}

async function read(table: Table, Key: { readonly pk: string; readonly sk: string }) {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return Item;
}
