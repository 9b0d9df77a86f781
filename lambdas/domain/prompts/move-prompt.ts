import type { PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { type Message, messageKey } from '../chats/message.js';
import { transact, type Write } from '../records/transact.js';
import { ackDueOf } from './acknowledgement.js';
import type { Move } from './decide-move.js';
import { countOut } from './project-queue.js';
import { type DeliveryReason, type Prompt, promptKey } from './prompt.js';
import { confirmLater, dueSk, unreadItem, waitingKey } from './waiting-prompt.js';

export type Settlement =
  | { readonly to: 'delivered'; readonly receipt: PromptReceipt }
  | { readonly to: 'failed' | 'ambiguous' | 'expired'; readonly reason: DeliveryReason };

/**
 * The end of a prompt's way: what people see of it, the queue and the counts change with it, and the chat is free for the
 * next one. Nothing is returned when it was moved meanwhile. One table call.
 */
export async function settlePrompt(
  table: Table,
  prompt: Prompt,
  { chat, settlement, now }: { readonly chat: Chat; readonly settlement: Settlement; readonly now: Date },
): Promise<Prompt | undefined> {
  const { chatId, projectId } = prompt;
  const change = settledFields(settlement, now);
  const moved = { ...prompt, ...change };
  const ackDueAt = ackDueOf(moved);
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    chatAfter(prompt, { chat, settlement, now }),
    { delete: waitingKey(prompt), when: {} },
    ...(ackDueAt === null ? [] : [{ put: unreadItem(prompt, ackDueAt), when: {} }]),
    ...(isUnconfirmed(settlement) ? [confirmLater(prompt, now)] : []),
    { update: countOut(projectId) },
    {
      update: {
        key: messageKey(chatId, prompt.sequence),
        set: { delivery: shownDelivery(prompt, settlement) },
        when: { exists: true },
      },
    },
  ]);
  return committed ? moved : undefined;
}

/** It is tried again later. Nothing is returned when it was moved meanwhile. One table call. */
export async function delayPrompt(
  table: Table,
  prompt: Prompt,
  { move, now }: { readonly move: Extract<Move, { to: 'retry_wait' }>; readonly now: Date },
): Promise<Prompt | undefined> {
  const { chatId, deliveryId } = prompt;
  const nextAttemptAt = move.at.toISOString();
  const change = {
    deliveryState: 'retry_wait' as const,
    deliveryAttempts: move.attempts,
    lastError: move.reason,
    nextAttemptAt,
  };
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    {
      update: {
        key: chatKey(chatId),
        remove: ['deliveringId'],
        when: { equals: { deliveringId: deliveryId } },
      },
    },
    {
      update: {
        key: waitingKey(prompt),
        set: { parentSk: dueSk(nextAttemptAt, deliveryId) },
        when: { exists: true },
      },
    },
  ]);
  return committed ? { ...prompt, ...change } : undefined;
}

/** From how it was read, and from nothing else. */
export function promptMove(prompt: Prompt, change: Partial<Prompt>, now: Date): Write {
  const { chatId, deliveryId, version, deliveryState } = prompt;
  return {
    update: {
      key: promptKey(chatId, deliveryId),
      set: { ...change, version: version + 1, updatedAt: now.toISOString() },
      when: { equals: { version, deliveryState } },
    },
  };
}

function settledFields(settlement: Settlement, now: Date): Partial<Prompt> & Pick<Prompt, 'deliveryState'> {
  if (settlement.to !== 'delivered')
    return { deliveryState: settlement.to, terminalReason: settlement.reason, nextAttemptAt: null };
  const { state, runtimeIdentity, acceptedAt } = settlement.receipt;
  const at = now.toISOString();
  return {
    deliveryState: 'delivered',
    receiptState: state,
    receiptRuntimeIdentity: runtimeIdentity,
    receiptCheckedAt: at,
    acceptedAt: new Date(acceptedAt).toISOString(),
    deliveredAt: at,
    lastError: null,
  };
}

function chatAfter(
  { chatId, deliveryId, deliveryState, kind }: Prompt,
  { chat, settlement, now }: { readonly chat: Chat; readonly settlement: Settlement; readonly now: Date },
): Write {
  const wasDelivering = deliveryState === 'delivering';
  const wasStart = chat.startDeliveryId === deliveryId;
  return {
    update: {
      key: chatKey(chatId),
      set: {
        updatedAt: now.toISOString(),
        ...(kind === 'start' && settlement.to === 'delivered' ? { isBegun: true } : {}),
        ...(isUnconfirmed(settlement)
          ? { unconfirmedId: deliveryId, unconfirmedRestarts: chat.activity?.restartCount ?? 0 }
          : {}),
      },
      remove: [...(wasDelivering ? ['deliveringId'] : []), ...(wasStart ? ['startDeliveryId'] : [])],
      add: { queuedPrompts: -1, version: 1 },
      when: { exists: true, ...(wasDelivering ? { equals: { deliveringId: deliveryId } } : {}) },
    },
  };
}

/** The node has it, and has yet to say that its agent had it. */
const isUnconfirmed = (settlement: Settlement): boolean =>
  settlement.to === 'delivered' && settlement.receipt.state === 'in_flight';

/** An expired prompt has failed, to people; what was delivered before stays so. */
function shownDelivery(
  { deliveryId, redeliveries }: Prompt,
  settlement: Settlement,
): NonNullable<Message['delivery']> {
  if (settlement.to === 'delivered') return { deliveryId, state: 'delivered', reason: null };
  if (redeliveries > 0) return { deliveryId, state: 'delivered', reason: 'not_acknowledged' };
  const { to, reason } = settlement;
  return { deliveryId, state: to === 'ambiguous' ? 'ambiguous' : 'failed', reason };
}
