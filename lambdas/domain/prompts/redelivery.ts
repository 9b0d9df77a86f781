import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { transact } from '../records/transact.js';
import { showDelivered } from './acknowledgement.js';
import { nothingUnconfirmed, removeConfirmMarker } from './confirmation.js';
import { isPrompting, reachOf } from './delivery-plan.js';
import { type DeliveryTarget, loadDelivery } from './load-delivery.js';
import { deadlineOf, type Prompt } from './prompt.js';
import { ackDueOf, isSuperseded, promptMove } from './prompt-state.js';
import { countQueued, queueItem, removeAckDueItem } from './queue-items.js';

/** A prompt that is not acknowledged is delivered again at most so often. */
const maxRedeliveries = 5;

/**
 * Handles a delivered prompt that was not acknowledged in time: queues it again, or gives it up.
 * True when it is queued. At most two table calls.
 */
export async function redeliverOverdue(
  table: Table,
  { chat, deliveryId }: { readonly chat: Chat; readonly deliveryId: string },
  now: Date,
): Promise<boolean> {
  const { prompt, target } = await loadDelivery(table, chat, deliveryId);
  const plan = planRedelivery(prompt, target, now);
  if (plan === 'queue') return queueAgain(table, prompt, { chat, now });
  if (plan === 'give_up') await giveUp(table, prompt, now);
  return false;
}

function planRedelivery(prompt: Prompt, target: DeliveryTarget, now: Date): 'wait' | 'queue' | 'give_up' {
  const ackDueAt = ackDueOf(prompt);
  if (ackDueAt === null || now.getTime() < Date.parse(ackDueAt)) return 'wait';
  const reach = reachOf(target);
  const isGone = reach !== 'awake' && reach !== 'asleep';
  const isObsolete = target.chat.shutdownId !== undefined || isSuperseded(prompt, target.chat);
  if (isGone || isObsolete || prompt.redeliveries >= maxRedeliveries) return 'give_up';
  // The agent may acknowledge at the end of the turn that runs.
  return isPrompting(target.chat, now) ? 'wait' : 'queue';
}

/**
 * Queues the prompt as if it were new, under another delivery id of the node. False on a conflict.
 */
async function queueAgain(
  table: Table,
  prompt: Prompt,
  { chat, now }: { readonly chat: Chat; readonly now: Date },
): Promise<boolean> {
  const { chatId, deliveryId } = prompt;
  const change = asNew(prompt, now);
  const queued = { ...prompt, ...change };
  // From now on the node is asked about the new delivery.
  const wasUnconfirmed = chat.unconfirmedId === deliveryId;
  const update = chatChange(chatId, {
    set: wasUnconfirmed ? nothingUnconfirmed : {},
    increment: { queuedPrompts: 1 },
    when: wasUnconfirmed ? { equals: { unconfirmedId: deliveryId } } : {},
    now,
  });
  const outcome = await transact(table, [
    promptMove(prompt, change, now),
    { update },
    ...removeAckDueItem(prompt),
    ...(wasUnconfirmed ? [removeConfirmMarker(chatId)] : []),
    { put: queueItem(queued), when: { exists: false } },
    countQueued(queued),
  ]);
  return outcome.committed;
}

const asNew = (prompt: Prompt, now: Date) => ({
  deliveryState: 'queued' as const,
  kind: 'prompt' as const,
  redeliveries: prompt.redeliveries + 1,
  deliveryAttempts: 0,
  attemptId: null,
  attemptStartedAt: null,
  nextAttemptAt: null,
  runtimeIdentity: null,
  receiptState: null,
  receiptRuntimeIdentity: null,
  receiptCheckedAt: null,
  acceptedAt: null,
  lastError: null,
  terminalReason: null,
  deadlineAt: deadlineOf({ ...prompt, kind: 'prompt' }, now),
});

async function giveUp(table: Table, prompt: Prompt, now: Date): Promise<void> {
  const reason = 'not_acknowledged';
  await transact(table, [
    promptMove(prompt, { deliveryState: 'expired', terminalReason: reason }, now),
    ...removeAckDueItem(prompt),
    showDelivered(prompt, reason),
  ]);
}
