import type { PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { type Message, messageKey } from '../chats/message.js';
import { transact, type Write } from '../records/transact.js';
import { ackDueOf } from './acknowledgement.js';
import { confirmMark, isMarked, nextConfirmAt } from './confirm-mark.js';
import { type Leaving, leaveQueue } from './leave-queue.js';
import { promptMove } from './move-prompt.js';
import type { DeliveryReason, Prompt } from './prompt.js';
import { unreadItem } from './waiting-prompt.js';

export type Settlement =
  | { readonly to: 'delivered'; readonly receipt: PromptReceipt }
  | { readonly to: 'failed' | 'ambiguous' | 'expired'; readonly reason: DeliveryReason };

/** The prompt's chat, as it was read, and what is known of the prompt now. */
interface Settling {
  readonly chat: Chat;
  readonly settlement: Settlement;
  readonly now: Date;
}

/**
 * The end of a prompt's way: what people see of it, the queue and the counts change with it, and the chat is free for the
 * next one. Nothing is returned when it was moved meanwhile. One table call, and one more when the mark that the chat was
 * read with is gone by now.
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
  const confirmDueAt = isUnconfirmed(settlement) && !isMarked(chat, now) ? nextConfirmAt(now) : undefined;
  const { ofPrompt, ofChat, others } = leaveQueue(prompt, chat);
  return [
    promptMove(prompt, { ...change, ...ofPrompt }, now),
    chatAfter(prompt, { ...settling, confirmDueAt, ofChat }),
    ...others,
    ...(ackDueAt === null ? [] : [{ put: unreadItem(prompt, ackDueAt), when: {} }]),
    ...(confirmDueAt === undefined ? [] : [confirmMark(prompt, confirmDueAt)]),
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
  readonly confirmDueAt: string | undefined;
  readonly ofChat: Leaving['ofChat'];
}

function chatAfter(
  { chatId, deliveryId, kind }: Prompt,
  { chat, settlement, now, confirmDueAt, ofChat }: SettlingChat,
): Write {
  const wasStart = chat.startDeliveryId === deliveryId;
  const isOpen = isUnconfirmed(settlement);
  const relied = isOpen && confirmDueAt === undefined ? chat.confirmDueAt : undefined;
  return {
    update: {
      key: chatKey(chatId),
      set: {
        updatedAt: now.toISOString(),
        ...(kind === 'start' && settlement.to === 'delivered' ? { isBegun: true } : {}),
        ...(isOpen
          ? { unconfirmedId: deliveryId, unconfirmedRestarts: chat.activity?.restartCount ?? 0, confirmDueAt }
          : {}),
      },
      remove: [...ofChat.remove, ...(wasStart ? ['startDeliveryId'] : [])],
      add: { queuedPrompts: -1, version: 1 },
      when: {
        exists: true,
        ...ofChat.when,
        equals: {
          ...ofChat.when.equals,
          // The mark that was read is the one that rings for this prompt, too.
          ...(relied ? { confirmDueAt: relied } : {}),
        },
      },
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
