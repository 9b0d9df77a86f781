import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byParent, type Table } from '../../shared/table.js';
import type { ChatChange } from '../chats/change-chat.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { getItems, type Item } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import type { Write } from '../records/transact.js';
import { Prompt, promptKey, promptPrefix } from './prompt.js';
import { type PromptChange, promptMove } from './prompt-state.js';
import {
  countDequeued,
  countEnqueued,
  duePartition,
  dueSk,
  noDueKeys,
  queueItem,
  queueKey,
  queueOrder,
  queuePrefix,
  WaitingPrompt,
} from './queue-items.js';

/** A new prompt stays out of the queue when no other prompt of its chat waits. */
export const isNextUnqueued = ({ queuedPrompts }: Pick<Chat, 'queuedPrompts'>): Prompt['isUnqueued'] =>
  queuedPrompts === 0 ? true : null;

/** How a chat refers to its unqueued prompt: by queue order and id. */
export const unqueuedRef = (prompt: Pick<Prompt, 'sequence' | 'messageClass' | 'deliveryId'>): string =>
  `${queueOrder(prompt)}#${prompt.deliveryId}`;

/** The unqueued prompt of a chat, with the sort key that it would have in the queue. */
export function unqueuedOf({
  chatId,
  unqueued,
}: Pick<Chat, 'chatId' | 'unqueued'>): (WaitingPrompt & { readonly sk: string }) | undefined {
  if (unqueued === undefined) return undefined;
  const deliveryId = unqueued.slice(unqueued.lastIndexOf('#') + 1);
  return { chatId, deliveryId, sk: `${queuePrefix}${unqueued}` };
}

/** An attempt to deliver it has begun, and may have been abandoned. */
export const isDelivering = (prompt: Prompt | undefined): prompt is Prompt =>
  prompt?.deliveryState === 'delivering';

/**
 * Moves the unqueued prompt into the queue because another prompt of its chat is delivered first.
 * It changes the version, so an attempt that has read the prompt before fails.
 */
export const enqueue = (unqueued: Prompt, now: Date): readonly Write[] => [
  promptMove(unqueued, { isUnqueued: null, ...noDueKeys }, now),
  { put: queueItem(unqueued), when: { exists: false } },
  countEnqueued(unqueued),
];

/** The changes when a prompt stops waiting, beside its move. */
export interface QueueExit {
  readonly ofPrompt: PromptChange;
  readonly ofChat: Required<Pick<ChatChange, 'set' | 'when'>>;
  readonly writes: readonly Write[];
}

export function leaveQueue(prompt: Prompt, chat: Pick<Chat, 'deliveringId'>): QueueExit {
  if (prompt.isUnqueued)
    return {
      ofPrompt: { isUnqueued: null, ...noDueKeys },
      ofChat: { set: { unqueued: null }, when: { equals: { unqueued: unqueuedRef(prompt) } } },
      writes: [],
    };
  return {
    ofPrompt: {},
    ofChat: releaseDelivery(prompt, chat),
    writes: [{ delete: queueKey(prompt), when: {} }, countDequeued(prompt)],
  };
}

/**
 * Clears the chat's `deliveringId` when it is this prompt, on condition that it is as it was read:
 * a chat that was restarted since may deliver another prompt.
 */
export function releaseDelivery(
  { deliveryState, deliveryId }: Prompt,
  { deliveringId }: Pick<Chat, 'deliveringId'>,
): QueueExit['ofChat'] {
  if (deliveryState !== 'delivering') return { set: {}, when: {} };
  if (deliveringId === undefined) return { set: {}, when: { absent: ['deliveringId'] } };
  return {
    set: deliveringId === deliveryId ? { deliveringId: null } : {},
    when: { equals: { deliveringId } },
  };
}

/** Makes the sweep wake the chat of a prompt that nothing else will deliver. One table call. */
export async function makeDue(table: Table, prompt: Prompt, now: Date): Promise<void> {
  const { chatId, deliveryId, isUnqueued } = prompt;
  await changeItem(table, {
    key: isUnqueued ? promptKey(chatId, deliveryId) : queueKey(prompt),
    set: { parentSk: dueSk(now.toISOString(), deliveryId) },
    when: { present: ['parentSk'] },
  });
}

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
