import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { messageKey } from '../chats/message.js';
import { transact } from '../records/transact.js';
import { ackDueOf, maxRedeliveries } from './acknowledgement.js';
import { isPrompting, reachOf, type Target } from './choose-step.js';
import { confirmed } from './confirm-mark.js';
import { loadDelivery } from './load-delivery.js';
import { isSuperseded } from './message-classes.js';
import { promptMove } from './move-prompt.js';
import { countIn } from './project-queue.js';
import { deadlineOf, type Prompt } from './prompt.js';
import { notUnread, waitingItem } from './waiting-prompt.js';

/**
 * What becomes of a delivered prompt whose reader has not said in time that it was read: into the queue again, or nobody
 * waits any more. True when it is in the queue again. At most two table calls.
 */
export async function redeliverLate(
  table: Table,
  { chat, deliveryId }: { readonly chat: Chat; readonly deliveryId: string },
  now: Date,
): Promise<boolean> {
  const { prompt, target } = await loadDelivery(table, chat, deliveryId);
  const what = chooseRedelivery(prompt, target, now);
  if (what === 'again') return queueAgain(table, prompt, { chat, now });
  if (what === 'give_up') await giveUp(table, prompt, now);
  return false;
}

/** What is to be done with a prompt that was delivered and may have to be acknowledged. */
export function chooseRedelivery(prompt: Prompt, target: Target, now: Date): 'wait' | 'again' | 'give_up' {
  const ackDueAt = ackDueOf(prompt);
  if (ackDueAt === null || now.getTime() < Date.parse(ackDueAt)) return 'wait';
  const reach = reachOf(target);
  const isGone = reach !== 'awake' && reach !== 'asleep';
  const isMoot = target.chat.shutdownId !== undefined || isSuperseded(prompt, target.chat);
  if (isGone || isMoot || prompt.redeliveries >= maxRedeliveries) return 'give_up';
  // Its turn may be the one that runs, and the word may come at its end.
  return isPrompting(target.chat, now) ? 'wait' : 'again';
}

/** As it was when it was new, under another id of the node's; false when it was moved meanwhile, or the queue is full. */
async function queueAgain(
  table: Table,
  prompt: Prompt,
  { chat, now }: { readonly chat: Chat; readonly now: Date },
): Promise<boolean> {
  const { chatId, deliveryId } = prompt;
  const fresh = {
    ...({ deliveryState: 'queued', kind: 'prompt', redeliveries: prompt.redeliveries + 1 } as const),
    ...{ deliveryAttempts: 0, attemptId: null, attemptStartedAt: null, nextAttemptAt: null },
    ...{ runtimeIdentity: null, receiptState: null, receiptRuntimeIdentity: null, receiptCheckedAt: null },
    ...{ acceptedAt: null, lastError: null, terminalReason: null },
    deadlineAt: deadlineOf({ ...prompt, kind: 'prompt' }, now),
  };
  const again = { ...prompt, ...fresh };
  // The node is asked about the new delivery from now on.
  const wasUnconfirmed = chat.unconfirmedId === deliveryId;
  const outcome = await transact(table, [
    promptMove(prompt, fresh, now),
    {
      update: {
        key: chatKey(chatId),
        set: { updatedAt: now.toISOString() },
        remove: wasUnconfirmed ? ['unconfirmedId', 'unconfirmedRestarts', 'confirmDueAt'] : [],
        add: { queuedPrompts: 1, version: 1 },
        when: { exists: true, ...(wasUnconfirmed ? { equals: { unconfirmedId: deliveryId } } : {}) },
      },
    },
    ...notUnread(prompt),
    ...(wasUnconfirmed ? [confirmed(chatId)] : []),
    { put: waitingItem(again), when: { exists: false } },
    countIn(again),
  ]);
  return outcome.committed;
}

async function giveUp(table: Table, prompt: Prompt, now: Date): Promise<void> {
  const { chatId, deliveryId, sequence } = prompt;
  const reason = 'not_acknowledged';
  await transact(table, [
    promptMove(prompt, { deliveryState: 'expired', terminalReason: reason }, now),
    ...notUnread(prompt),
    {
      update: {
        key: messageKey(chatId, sequence),
        set: { delivery: { deliveryId, state: 'delivered', reason } },
        when: { exists: true },
      },
    },
  ]);
}
