import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { confirmLast, type Delivery, type DeliveryParts, deliverLoaded } from './attempt-delivery.js';
import { type LoadedDelivery, loadDelivery } from './load-delivery.js';
import { isBeingDelivered, loneOf } from './lone-prompt.js';
import { readQueue } from './read-queue.js';
import { redeliverLate } from './redeliver-late.js';
import type { WaitingPrompt } from './waiting-prompt.js';

/** How the bell of a chat has to ring again. */
export interface NextWakeUps {
  readonly now: boolean;
  readonly at: Date | null;
  /** Nothing is left to deliver in a chat that ends with its last prompt; that may be over. */
  readonly endsChat?: true;
}

/**
 * Answers a chat's bell: what is first in its queue is tried, or what somebody has begun to deliver and left. A chat whose
 * agent is about to be begun is left to who does that, until it has ended. At most six table calls.
 */
export async function deliverNext(table: Table, parts: DeliveryParts, chatId: string): Promise<NextWakeUps> {
  const chat = await findChat(table, chatId);
  if (!chat || isLeftToOthers(chat)) return silence;
  const first = await firstOf(table, chat);
  const queued = first?.ackDueAt === undefined ? first?.deliveryId : undefined;
  const deliveryId = chat.deliveringId ?? queued;
  if (!deliveryId) return lookBack(table, parts, { chat, unread: first });
  const next = leftBefore(await loadDelivery(table, chat, deliveryId));
  const delivery = await deliverLoaded(table, parts, next);
  const isFirst = next.prompt.deliveryId === queued;
  return nextWakeUps(delivery, { isFirst, isAlone: chat.queuedPrompts <= 1 });
}

/** Of all that waits in a chat. No table call where that is one that waits alone. */
async function firstOf(table: Table, chat: Chat): Promise<WaitingPrompt | undefined> {
  const lone = chat.queuedPrompts === 1 ? loneOf(chat) : undefined;
  if (lone) return lone;
  const [first] = await readQueue(table, chat, 1);
  return first;
}

/** Where somebody has begun to deliver what waits alone, that comes before what is first by now. */
function leftBefore({ prompt, target }: LoadedDelivery): LoadedDelivery {
  const { lone, ...others } = target;
  return isBeingDelivered(lone)
    ? { prompt: lone, target: { ...others, lone: undefined } }
    : { prompt, target };
}

/** Nothing is to be delivered: what was may not have been acknowledged in time. */
async function lookBack(
  table: Table,
  parts: DeliveryParts,
  { chat, unread }: { readonly chat: Chat; readonly unread: WaitingPrompt | undefined },
): Promise<NextWakeUps> {
  const isLate = unread?.ackDueAt !== undefined && Date.parse(unread.ackDueAt) <= parts.now.getTime();
  if (!isLate) return chat.shutdownId ? { ...silence, endsChat: true } : confirm(table, parts, chat);
  const isQueued = await redeliverLate(table, { chat, deliveryId: unread.deliveryId }, parts.now);
  return { now: isQueued, at: null };
}

/** What the node took last may have got lost there. */
async function confirm(table: Table, parts: DeliveryParts, chat: Chat): Promise<NextWakeUps> {
  const { unconfirmedId } = chat;
  if (unconfirmedId !== undefined) await confirmLast(table, parts, { chat, deliveryId: unconfirmedId });
  return silence;
}

const silence: NextWakeUps = { now: false, at: null };

const isLeftToOthers = ({ startDeliveryId, status }: Chat): boolean =>
  startDeliveryId !== undefined && status !== 'stopped' && status !== 'error';

function nextWakeUps(
  delivery: Delivery,
  { isFirst, isAlone }: { readonly isFirst: boolean; readonly isAlone: boolean },
): NextWakeUps {
  if (delivery.outcome === 'delivered') return { now: !isAlone, at: delivery.ackDueAt };
  if (delivery.outcome !== 'retry') return { now: !isAlone, at: null };
  if (!delivery.isNew) return silence;
  // What was left is out of the way now of what is more urgent.
  return { now: !isFirst, at: delivery.at };
}
