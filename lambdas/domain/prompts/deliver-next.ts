import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { confirmLast, type Delivery, type DeliveryParts, deliverOf } from './attempt-delivery.js';
import { readQueue } from './read-queue.js';
import { redeliverLate } from './redeliver-late.js';
import type { WaitingPrompt } from './waiting-prompt.js';

/** How the bell of a chat has to ring again. */
export interface NextBells {
  readonly now: boolean;
  readonly at: Date | null;
  /** Nothing is left to deliver in a chat that ends with its last prompt; that may be over. */
  readonly closes?: true;
}

/**
 * Answers a chat's bell: what is first in its queue is tried, or what somebody has begun to deliver and left. A chat whose
 * agent is about to be begun is left to who does that, until it has ended. At most six table calls.
 */
export async function deliverNext(table: Table, parts: DeliveryParts, chatId: string): Promise<NextBells> {
  const [chat, [first]] = await Promise.all([findChat(table, chatId), readQueue(table, chatId, 1)]);
  if (!chat || isLeftToOthers(chat)) return silence;
  const queued = first?.ackDueAt === undefined ? first?.deliveryId : undefined;
  const deliveryId = chat.deliveringId ?? queued;
  if (!deliveryId) return lookBack(table, parts, { chat, unread: first });
  const delivery = await deliverOf(table, parts, { chat, deliveryId });
  return nextBells(delivery, { isFirst: deliveryId === queued, isAlone: chat.queuedPrompts <= 1 });
}

/** Nothing is to be delivered: what was may not have been acknowledged in time. */
async function lookBack(
  table: Table,
  parts: DeliveryParts,
  { chat, unread }: { readonly chat: Chat; readonly unread: WaitingPrompt | undefined },
): Promise<NextBells> {
  const isLate = unread?.ackDueAt !== undefined && Date.parse(unread.ackDueAt) <= parts.now.getTime();
  if (!isLate) return chat.shutdownId ? { ...silence, closes: true } : confirm(table, parts, chat);
  const isQueued = await redeliverLate(table, { chat, deliveryId: unread.deliveryId }, parts.now);
  return { now: isQueued, at: null };
}

/** What the node took last may have got lost there. */
async function confirm(table: Table, parts: DeliveryParts, chat: Chat): Promise<NextBells> {
  const { unconfirmedId } = chat;
  if (unconfirmedId !== undefined) await confirmLast(table, parts, { chat, deliveryId: unconfirmedId });
  return silence;
}

const silence: NextBells = { now: false, at: null };

const isLeftToOthers = ({ startDeliveryId, status }: Chat): boolean =>
  startDeliveryId !== undefined && status !== 'stopped' && status !== 'error';

function nextBells(
  delivery: Delivery,
  { isFirst, isAlone }: { readonly isFirst: boolean; readonly isAlone: boolean },
): NextBells {
  if (delivery.outcome === 'delivered') return { now: !isAlone, at: delivery.ackDueAt };
  if (delivery.outcome !== 'retry') return { now: !isAlone, at: null };
  if (!delivery.isNew) return silence;
  // What was left is out of the way now of what is more urgent.
  return { now: !isFirst, at: delivery.at };
}
