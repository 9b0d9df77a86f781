import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { findChat } from '../chats/find-chat.js';
import { confirmLast } from './confirmation.js';
import { type AttemptResult, type DeliveryDeps, deliverLoaded } from './delivery-attempt.js';
import { type LoadedDelivery, loadDelivery } from './load-delivery.js';
import { isDelivering, readQueue, unqueuedOf } from './queue.js';
import type { WaitingPrompt } from './queue-items.js';
import { redeliverOverdue } from './redelivery.js';

/** The wake-ups to send after one was handled. */
export interface NextWakeUps {
  readonly now: boolean;
  readonly at: Date | null;
  /** Nothing waits in a chat that was sent a shutdown prompt: its task may be ended. */
  readonly endsChat?: true;
}

const noWakeUp: NextWakeUps = { now: false, at: null };

/**
 * Handles a wake-up of a chat: finishes an abandoned attempt, or attempts the first waiting prompt,
 * or checks acknowledgement and confirmation of delivered ones. A chat whose agent is being started
 * is left to its task run. At most six table calls.
 */
export async function deliverNext(table: Table, deps: DeliveryDeps, chatId: string): Promise<NextWakeUps> {
  const chat = await findChat(table, chatId);
  if (!chat || isLeftToTaskRun(chat)) return noWakeUp;
  const first = await firstWaiting(table, chat);
  const toDeliver = first?.ackDueAt === undefined ? first?.deliveryId : undefined;
  const deliveryId = chat.deliveringId ?? toDeliver;
  if (!deliveryId) return checkDelivered(table, deps, { chat, delivered: first });
  const next = abandonedFirst(await loadDelivery(table, chat, deliveryId));
  const result = await deliverLoaded(table, deps, next);
  const isFirst = next.prompt.deliveryId === toDeliver;
  return nextWakeUps(result, { isFirst, isLast: chat.queuedPrompts <= 1 });
}

const isLeftToTaskRun = ({ startDeliveryId, status }: Chat): boolean =>
  startDeliveryId !== undefined && status !== 'stopped' && status !== 'error';

/** No table call when only the unqueued prompt waits. */
async function firstWaiting(table: Table, chat: Chat): Promise<WaitingPrompt | undefined> {
  const unqueued = chat.queuedPrompts === 1 ? unqueuedOf(chat) : undefined;
  if (unqueued) return unqueued;
  const [first] = await readQueue(table, chat, 1);
  return first;
}

/** An abandoned attempt of the unqueued prompt is finished before the first prompt of the queue. */
function abandonedFirst({ prompt, target }: LoadedDelivery): LoadedDelivery {
  const { unqueued, ...others } = target;
  return isDelivering(unqueued)
    ? { prompt: unqueued, target: { ...others, unqueued: undefined } }
    : { prompt, target };
}

interface Delivered {
  readonly chat: Chat;
  /** A delivered prompt that has to be acknowledged. */
  readonly delivered: WaitingPrompt | undefined;
}

async function checkDelivered(
  table: Table,
  deps: DeliveryDeps,
  { chat, delivered }: Delivered,
): Promise<NextWakeUps> {
  const isOverdue = delivered?.ackDueAt !== undefined && Date.parse(delivered.ackDueAt) <= deps.now.getTime();
  if (isOverdue) {
    const isQueued = await redeliverOverdue(table, { chat, deliveryId: delivered.deliveryId }, deps.now);
    return { now: isQueued, at: null };
  }
  if (chat.shutdownId) return { ...noWakeUp, endsChat: true };
  const { unconfirmedId: deliveryId } = chat;
  if (deliveryId !== undefined) await confirmLast(table, deps, { chat, deliveryId });
  return noWakeUp;
}

function nextWakeUps(
  result: AttemptResult,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): NextWakeUps {
  if (result.outcome === 'delivered') return { now: !isLast, at: result.ackDueAt };
  if (result.outcome !== 'retry') return { now: !isLast, at: null };
  if (!result.isNew) return noWakeUp;
  // A finished abandoned attempt no longer holds up a more urgent prompt.
  return { now: !isFirst, at: result.at };
}
