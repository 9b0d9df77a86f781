import type { PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import { Chat } from '../chats/chat.js';
import { type Message, messageKey } from '../chats/message.js';
import { transact, type Write } from '../records/transact.js';
import { confirmMarker, hasConfirmMarker, nextConfirmAt } from './confirmation.js';
import type { DeliveryOutcome } from './delivery-outcome.js';
import type { DeliveryReason, Prompt } from './prompt.js';
import { ackDueOf, movePrompt, promptMove } from './prompt-state.js';
import { leaveQueue, type QueueExit, releaseDelivery } from './queue.js';
import { ackDueItem, dueKeys, queueKey } from './queue-items.js';

/** An outcome that ends the waiting of a prompt. */
export type Settlement =
  | { readonly to: 'delivered'; readonly receipt: PromptReceipt }
  | { readonly to: 'failed' | 'ambiguous' | 'expired'; readonly reason: DeliveryReason };

/** The chat as it was read, and the settlement of its prompt. */
interface Settling {
  readonly chat: Chat;
  readonly settlement: Settlement;
  readonly now: Date;
}

/**
 * Records that a prompt waits no more: the prompt, its message, the queue, the counts and the chat
 * change together. Undefined when the prompt has changed since it was read. One table call, and one
 * more when the chat's confirm marker has changed.
 */
export async function settlePrompt(
  table: Table,
  prompt: Prompt,
  settling: Settling,
): Promise<Prompt | undefined> {
  const change = settledFields(prompt, settling);
  const moved = { ...prompt, ...change };
  const write = (chat: Chat) => transact(table, settlementWrites(prompt, change, { ...settling, chat }));
  const first = await write(settling.chat);
  if (first.committed) return moved;
  const [atPrompt, atChat] = first.refusals;
  if (atPrompt?.failed || !atChat?.item) return undefined;
  const { committed } = await write(Chat.parse(atChat.item));
  return committed ? moved : undefined;
}

function settlementWrites(prompt: Prompt, change: Partial<Prompt>, settling: Settling): readonly Write[] {
  const { chatId, sequence } = prompt;
  const { chat, settlement, now } = settling;
  const ackDueAt = ackDueOf({ ...prompt, ...change });
  const needsMarker = isUnconfirmed(settlement) && !hasConfirmMarker(chat, now);
  const confirmAt = needsMarker ? nextConfirmAt(now) : undefined;
  const { ofPrompt, ofChat, writes } = leaveQueue(prompt, chat);
  return [
    promptMove(prompt, { ...change, ...ofPrompt }, now),
    chatAfter(prompt, { ...settling, confirmAt, ofChat }),
    ...writes,
    ...(ackDueAt === null ? [] : [{ put: ackDueItem(prompt, ackDueAt), when: {} }]),
    ...(confirmAt === undefined ? [] : [confirmMarker(prompt, confirmAt)]),
    {
      update: {
        key: messageKey(chatId, sequence),
        set: { delivery: shownDelivery(prompt, settlement) },
        when: { exists: true },
      },
    },
  ];
}

function settledFields(
  prompt: Prompt,
  { settlement, now }: Settling,
): Partial<Prompt> & Pick<Prompt, 'deliveryState'> {
  if (settlement.to !== 'delivered')
    return { deliveryState: settlement.to, terminalReason: settlement.reason, nextAttemptAt: null };
  const { state, runtimeIdentity, acceptedAt } = settlement.receipt;
  const at = now.toISOString();
  return {
    deliveryState: 'delivered',
    receiptState: state,
    receiptRuntimeIdentity: runtimeIdentity === prompt.runtimeIdentity ? null : runtimeIdentity,
    receiptCheckedAt: at,
    acceptedAt: new Date(acceptedAt).toISOString(),
    deliveredAt: at,
    lastError: null,
  };
}

interface SettlingChat extends Settling {
  /** Set when a confirm marker is put with this prompt. */
  readonly confirmAt: string | undefined;
  readonly ofChat: QueueExit['ofChat'];
}

function chatAfter(
  { chatId, deliveryId, kind }: Prompt,
  { chat, settlement, now, confirmAt, ofChat }: SettlingChat,
): Write {
  const startsAgent = kind === 'start' && settlement.to === 'delivered';
  const isOpen = isUnconfirmed(settlement);
  const unconfirmed = { unconfirmedId: deliveryId, unconfirmedRestarts: chat.activity?.restartCount ?? 0 };
  // The marker that was read must still be there, because it covers this prompt too.
  const presentMarker = isOpen && confirmAt === undefined ? chat.confirmAt : undefined;
  return {
    update: chatChange(chatId, {
      set: {
        ...ofChat.set,
        ...(chat.startDeliveryId === deliveryId ? { startDeliveryId: null } : {}),
        ...(startsAgent ? { isStarted: true } : {}),
        ...(isOpen ? { ...unconfirmed, confirmAt } : {}),
      },
      increment: { queuedPrompts: -1 },
      when: {
        ...ofChat.when,
        equals: { ...ofChat.when?.equals, ...(presentMarker ? { confirmAt: presentMarker } : {}) },
      },
      now,
    }),
  };
}

/** The node has the prompt, and has not confirmed yet that its agent received it. */
const isUnconfirmed = (settlement: Settlement): boolean =>
  settlement.to === 'delivered' && settlement.receipt.state === 'in_flight';

/** Clients see an expired prompt as failed, and a prompt that was delivered once as delivered. */
function shownDelivery(
  { deliveryId, redeliveries }: Prompt,
  settlement: Settlement,
): NonNullable<Message['delivery']> {
  if (settlement.to === 'delivered') return { deliveryId, state: 'delivered', reason: null };
  if (redeliveries > 0) return { deliveryId, state: 'delivered', reason: 'not_acknowledged' };
  const { to, reason } = settlement;
  return { deliveryId, state: to === 'ambiguous' ? 'ambiguous' : 'failed', reason };
}

interface Retry {
  readonly outcome: Extract<DeliveryOutcome, { to: 'retry_wait' }>;
  /** As it is while the prompt is delivered. */
  readonly chat: Chat;
  readonly now: Date;
}

/**
 * Schedules another attempt. Undefined when the prompt has changed since it was read. One table
 * call.
 */
export async function scheduleRetry(
  table: Table,
  prompt: Prompt,
  { outcome, chat, now }: Retry,
): Promise<Prompt | undefined> {
  const change = {
    deliveryState: 'retry_wait' as const,
    deliveryAttempts: outcome.attempts,
    lastError: outcome.reason,
    nextAttemptAt: outcome.at.toISOString(),
  };
  const moved = { ...prompt, ...change };
  const { parentSk } = dueKeys(moved);
  if (prompt.isUnqueued) {
    const isMoved = await movePrompt(table, prompt, { change: { ...change, parentSk }, now });
    return isMoved ? moved : undefined;
  }
  const release = { ...releaseDelivery(prompt, chat), isInternal: true, now };
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    { update: chatChange(chat.chatId, release) },
    { update: { key: queueKey(prompt), set: { parentSk }, when: { exists: true } } },
  ]);
  return committed ? moved : undefined;
}
