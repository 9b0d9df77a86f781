import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byParent, type Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { getItems, type Item } from '../records/batch-items.js';
import { Prompt, promptKey, promptPrefix } from './prompt.js';
import { unqueuedOf } from './queue.js';
import { duePartition, queuePrefix, WaitingPrompt } from './queue-items.js';

/**
 * The first prompts of a chat that wait, in the order of delivery, then delivered ones to
 * acknowledge. One table call.
 */
export async function readQueue(
  table: Table,
  chat: Pick<Chat, 'chatId' | 'unqueued'>,
  limit: number,
): Promise<readonly WaitingPrompt[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :queue)',
      ExpressionAttributeValues: { ':chat': chatKey(chat.chatId).pk, ':queue': queuePrefix },
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  const unqueued = unqueuedOf(chat);
  const waiting = unqueued ? [...Items, unqueued].sort(bySk) : Items;
  return waiting.slice(0, limit).map((item) => WaitingPrompt.parse(item));
}

const bySk = (one: Item, other: Item): number => (String(one.sk) < String(other.sk) ? -1 : 1);

/** As many as one batch reads and one answer holds. */
const maxListed = 50;

/** The prompts of `readQueue` in full. Two table calls, or one when no prompt waits. */
export async function listWaitingPrompts(table: Table, chat: Chat): Promise<readonly Prompt[]> {
  const waiting = await readQueue(table, chat, maxListed);
  if (waiting.length === 0) return [];
  const keys = waiting.map(({ deliveryId }) => promptKey(chat.chatId, deliveryId));
  const find = await getItems(table, keys);
  return keys.flatMap((key) => {
    const item = find(key);
    return item ? [Prompt.parse(item)] : [];
  });
}

/** The worker handles a wake-up within this time, unless the wake-up was lost. */
const graceMs = 10_000;

/** Chats with overdue work. One table call, and one more for each few thousand items. */
export async function listDueChats(table: Table, now: Date): Promise<readonly string[]> {
  const chats = new Set<string>();
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      IndexName: byParent,
      KeyConditionExpression: 'parentPk = :waiting AND parentSk < :due',
      ExpressionAttributeValues: {
        ':waiting': duePartition,
        ':due': new Date(now.getTime() - graceMs).toISOString(),
      },
    },
  );
  for await (const { Items = [] } of pages)
    for (const item of Items) chats.add(WaitingPrompt.parse(item).chatId);
  return [...chats];
}

/** All prompts of a chat, newest first, a page at a time. One table call. */
export async function pageDeliveries(
  table: Table,
  chatId: string,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly prompts: readonly Prompt[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      KeyConditionExpression: 'pk = :chat AND begins_with(sk, :prompt)',
      ExpressionAttributeValues: { ':chat': chatKey(chatId).pk, ':prompt': promptPrefix },
      ScanIndexForward: false,
      ConsistentRead: true,
    },
    { ...page, query: `deliveries ${chatId}` },
  );
  return { prompts: items.map((item) => Prompt.parse(item)), nextCursor };
}
