import { neverInvoked, type PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { messageKey } from '../chats/message.js';
import { transact, type Write } from '../records/transact.js';
import { confirmed, confirmMark, nextConfirmAt } from './confirm-mark.js';
import type { Answer } from './decide-move.js';
import { type DeliveryReason, type Prompt, promptKey } from './prompt.js';

/** What is known at last of a prompt that the node had taken. */
type Confirmation = 'completed' | 'open' | 'untold' | Shown;

/** What people see of it from now on, instead of `delivered`. */
interface Shown {
  readonly state: 'ambiguous' | 'failed';
  readonly reason: DeliveryReason;
}

/**
 * Writes down what a node says of the prompt that it took last. A run of its agent that ended, or a coding agent that did,
 * may have had the prompt or not: nobody can know, and people are told so. That an agent never had it can be certain too. One
 * table call.
 *
 * @returns the chat as it is afterwards, or as it was read where another prompt has taken the place of this one
 */
export async function confirmPrompt(
  table: Table,
  prompt: Prompt,
  { chat, answer, now }: { readonly chat: Chat; readonly answer: Answer; readonly now: Date },
): Promise<Chat> {
  // What was read has reached its agent, whatever has become of that since.
  const confirmation = prompt.deliveryState === 'acked' ? 'untold' : readAnswer(answer, prompt, chat);
  if (confirmation === 'open') return askLater(table, prompt, { chat, now });
  const { chatId, deliveryId, version } = prompt;
  const shown = typeof confirmation === 'object' ? confirmation : undefined;
  const at = now.toISOString();
  const { committed } = await transact(table, [
    {
      update: {
        key: promptKey(chatId, deliveryId),
        set: {
          ...(confirmation === 'untold'
            ? {}
            : { receiptState: shown?.state === 'ambiguous' ? 'ambiguous' : 'completed' }),
          ...(shown ? { terminalReason: shown.reason } : {}),
          receiptCheckedAt: at,
          version: version + 1,
          updatedAt: at,
        },
        when: { equals: { version } },
      },
    },
    {
      update: {
        key: chatKey(chat.chatId),
        remove: ['unconfirmedId', 'unconfirmedRestarts', 'confirmDueAt'],
        add: { version: 1 },
        when: { equals: { unconfirmedId: deliveryId } },
      },
    },
    confirmed(chatId),
    ...(shown ? [showAs(prompt, shown)] : []),
  ]);
  const none = { unconfirmedId: undefined, unconfirmedRestarts: undefined, confirmDueAt: undefined };
  return committed ? { ...chat, ...none } : chat;
}

/** Its turn goes on, or the node cannot be asked now. */
async function askLater(
  table: Table,
  { chatId, deliveryId }: Prompt,
  { chat, now }: { readonly chat: Chat; readonly now: Date },
): Promise<Chat> {
  const confirmDueAt = nextConfirmAt(now);
  const { committed } = await transact(table, [
    {
      update: {
        key: chatKey(chatId),
        set: { confirmDueAt },
        when: { equals: { unconfirmedId: deliveryId } },
      },
    },
    confirmMark({ chatId, deliveryId }, confirmDueAt),
  ]);
  return committed ? { ...chat, confirmDueAt } : chat;
}

function showAs({ chatId, sequence, deliveryId }: Prompt, { state, reason }: Shown): Write {
  return {
    update: {
      key: messageKey(chatId, sequence),
      set: { delivery: { deliveryId, state, reason } },
      when: { exists: true },
    },
  };
}

function readAnswer(answer: Answer, prompt: Prompt, chat: Chat): Confirmation {
  const { runtimeIdentity } = prompt;
  switch (answer.told) {
    case 'accepted':
      return readReceipt(answer.receipt);
    case 'not_found':
      return ambiguous(answer.runtimeIdentity === runtimeIdentity ? 'lost_response' : 'runtime_changed');
    case 'lost':
      // Its node is gone for good.
      return hasEndedTurn(chat, prompt) ? 'untold' : ambiguous('lost_response');
    default:
      return 'open';
  }
}

/** The agent came to rest after it was given the prompt: what it did with it stands in the conversation. */
function hasEndedTurn({ activity }: Chat, { deliveredAt }: Prompt): boolean {
  return activity?.activity === 'idle' && deliveredAt !== null && activity.activityAt > deliveredAt;
}

const ambiguous = (reason: DeliveryReason): Shown => ({ state: 'ambiguous', reason });

function readReceipt({ state, errorCode }: PromptReceipt): Confirmation {
  if (state === 'ambiguous') return ambiguous('runtime_changed');
  if (state !== 'completed') return 'open';
  return errorCode === neverInvoked ? { state: 'failed', reason: 'never_invoked' } : 'completed';
}
