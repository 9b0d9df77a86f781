import { neverInvoked, type PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { messageKey } from '../chats/message.js';
import { transact, type Write } from '../records/transact.js';
import type { NodeAnswer } from './delivery-outcome.js';
import {
  type DeliveryTarget,
  type LoadedDelivery,
  loadDelivery,
  type NodeDeps,
  openNode,
} from './load-delivery.js';
import type { DeliveryReason, Prompt } from './prompt.js';
import { type PromptChange, promptMove } from './prompt-state.js';
import { dueItem } from './queue-items.js';
import { askReceipt, nodeDeliveryId, type Readiness } from './send-prompt.js';

/** The control plane asks about a prompt after this time when nothing else makes it ask. */
const confirmAfterMs = 2 * 60_000;

export const nextConfirmAt = (now: Date): string => new Date(now.getTime() + confirmAfterMs).toISOString();

/**
 * The chat has a confirm marker that is not due yet: it covers every prompt that the node takes
 * until then.
 */
export const hasConfirmMarker = ({ confirmAt }: Pick<Chat, 'confirmAt'>, now: Date): boolean =>
  confirmAt !== undefined && confirmAt > now.toISOString();

const markerSk = 'CONFIRM';

/**
 * At most one per chat, while a prompt is unconfirmed: makes the sweep wake the chat. The chat's
 * `confirmAt` is the time of the marker; both change in one transaction.
 */
export const confirmMarker = (prompt: Prompt, dueAt: string): Write => ({
  put: dueItem(prompt, markerSk, dueAt),
  when: {},
});

export const removeConfirmMarker = (chatId: string): Write => ({
  delete: { pk: `CHAT#${chatId}`, sk: markerSk },
  when: {},
});

/** Clears the unconfirmed prompt of a chat, as part of a change of the chat. */
export const nothingUnconfirmed = {
  unconfirmedId: null,
  unconfirmedRestarts: null,
  confirmAt: null,
} as const;

/** Asks the node whether its agent received the unconfirmed prompt. At most four table calls. */
export async function confirmLast(
  table: Table,
  deps: NodeDeps,
  { chat, deliveryId }: { readonly chat: Chat; readonly deliveryId: string },
): Promise<void> {
  const { prompt, target } = await loadDelivery(table, chat, deliveryId);
  const node = await openNode(table, deps, target);
  // A node that is gone never answers.
  const answer: NodeAnswer = node ? await askReceipt(node, nodeDeliveryId(prompt)) : { is: 'lost' };
  await confirmPrompt(table, prompt, { chat, answer, now: deps.now });
}

/**
 * Before the next prompt replaces the unconfirmed one: a turn may have ended before its agent
 * received the prompt, by a restart, a failed start or a cancellation. Only its receipt says so.
 * Returns the delivery with the chat as it is afterwards. No table call when the receipt is
 * `completed`.
 */
export async function confirmBeforeNext<Delivery extends LoadedDelivery>(
  table: Table,
  delivery: Delivery,
  { node, runtimeIdentity, now }: Extract<Readiness, { isReady: true }> & { readonly now: Date },
): Promise<Delivery> {
  const { target } = delivery;
  const { chat, unconfirmed } = target;
  if (!unconfirmed) return delivery;
  const answer = await askReceipt(node, nodeDeliveryId(unconfirmed));
  const isRestarted = unconfirmed.runtimeIdentity !== runtimeIdentity || isAgentRestarted(chat);
  const confirmation = readAnswer(answer, unconfirmed, chat);
  // The turn runs: `confirmInterrupted` asks again after its cancellation.
  if (confirmation === 'open' && !isRestarted) return delivery;
  if (confirmation === 'completed' && !isRestarted)
    return { ...delivery, target: { ...target, unconfirmed: undefined } };
  const current = await confirmPrompt(table, unconfirmed, { chat, answer, now });
  return { ...delivery, target: { ...target, chat: current } };
}

const isAgentRestarted = ({ activity, unconfirmedRestarts = 0 }: Chat): boolean =>
  (activity?.restartCount ?? 0) !== unconfirmedRestarts;

/**
 * Before an interrupting prompt replaces the unconfirmed one: the cancelled turn may have ended
 * before its agent received the prompt, which only its receipt says. Returns the chat as it is
 * afterwards. At most two table calls.
 */
export async function confirmInterrupted(
  table: Table,
  deps: NodeDeps,
  target: DeliveryTarget,
): Promise<Chat> {
  const { chat, unconfirmed } = target;
  if (!unconfirmed || chat.unconfirmedId !== unconfirmed.deliveryId) return chat;
  const node = await openNode(table, deps, target);
  if (!node) return chat;
  const answer = await askReceipt(node, nodeDeliveryId(unconfirmed));
  return confirmPrompt(table, unconfirmed, { chat, answer, now: deps.now });
}

/**
 * What an answer says about an unconfirmed prompt: `open` asks again, `unknown` changes nothing
 * that is shown.
 */
type Confirmation = 'completed' | 'open' | 'unknown' | ShownInstead;

/** What clients see of the prompt from now on, instead of `delivered`. */
interface ShownInstead {
  readonly state: 'ambiguous' | 'failed';
  readonly reason: DeliveryReason;
}

interface Confirming {
  readonly chat: Chat;
  readonly answer: NodeAnswer;
  readonly now: Date;
}

/**
 * Records what a node says about the prompt that it took last. After a crash of the node agent or
 * the coding agent the prompt is ambiguous, unless the node proves otherwise. Returns the chat
 * afterwards, or as it was read when another prompt is unconfirmed by now. One table call.
 */
async function confirmPrompt(table: Table, prompt: Prompt, { chat, answer, now }: Confirming): Promise<Chat> {
  // An acknowledged prompt has reached its agent.
  const confirmation = prompt.deliveryState === 'acked' ? 'unknown' : readAnswer(answer, prompt, chat);
  if (confirmation === 'open') return askLater(table, prompt, { chat, now });
  const { chatId, deliveryId } = prompt;
  const shown = typeof confirmation === 'object' ? confirmation : undefined;
  const change = { ...confirmedFields(confirmation), receiptCheckedAt: now.toISOString() };
  const { committed } = await transact(table, [
    promptMove(prompt, change, now),
    {
      update: chatChange(chatId, {
        set: nothingUnconfirmed,
        when: { equals: { unconfirmedId: deliveryId } },
        isInternal: true,
        now,
      }),
    },
    removeConfirmMarker(chatId),
    ...(shown ? [showAs(prompt, shown)] : []),
  ]);
  const cleared = { unconfirmedId: undefined, unconfirmedRestarts: undefined, confirmAt: undefined };
  return committed ? { ...chat, ...cleared } : chat;
}

function confirmedFields(confirmation: Exclude<Confirmation, 'open'>): PromptChange {
  if (confirmation === 'unknown') return {};
  if (confirmation === 'completed') return { receiptState: 'completed' };
  const { state, reason: terminalReason } = confirmation;
  if (state === 'ambiguous') return { receiptState: 'ambiguous', terminalReason };
  // Its agent never received it.
  return { receiptState: 'completed', terminalReason, deliveredAt: null };
}

/** The turn is still running, or the node cannot be asked now. */
async function askLater(
  table: Table,
  prompt: Prompt,
  { chat, now }: Pick<Confirming, 'chat' | 'now'>,
): Promise<Chat> {
  const confirmAt = nextConfirmAt(now);
  const { committed } = await transact(table, [
    {
      update: chatChange(chat.chatId, {
        set: { confirmAt },
        when: { equals: { unconfirmedId: prompt.deliveryId } },
        isInternal: true,
        now,
      }),
    },
    confirmMarker(prompt, confirmAt),
  ]);
  return committed ? { ...chat, confirmAt } : chat;
}

const showAs = ({ chatId, sequence, deliveryId }: Prompt, { state, reason }: ShownInstead): Write => ({
  update: {
    key: messageKey(chatId, sequence),
    set: { delivery: { deliveryId, state, reason } },
    when: { exists: true },
  },
});

function readAnswer(answer: NodeAnswer, prompt: Prompt, chat: Chat): Confirmation {
  const { runtimeIdentity } = prompt;
  switch (answer.is) {
    case 'has_receipt':
      return readReceipt(answer.receipt);
    case 'not_found':
      return ambiguous(answer.runtimeIdentity === runtimeIdentity ? 'lost_response' : 'runtime_changed');
    case 'lost':
      return hasEndedTurn(chat, prompt) ? 'unknown' : ambiguous('lost_response');
    default:
      return 'open';
  }
}

/** The agent became idle after it was given the prompt: the conversation shows what it did. */
function hasEndedTurn({ activity }: Chat, { deliveredAt }: Prompt): boolean {
  return activity?.activity === 'idle' && deliveredAt !== null && activity.activityAt > deliveredAt;
}

const ambiguous = (reason: DeliveryReason): ShownInstead => ({ state: 'ambiguous', reason });

function readReceipt({ state, errorCode }: PromptReceipt): Confirmation {
  if (state === 'ambiguous') return ambiguous('runtime_changed');
  if (state !== 'completed') return 'open';
  return errorCode === neverInvoked ? { state: 'failed', reason: 'never_invoked' } : 'completed';
}
