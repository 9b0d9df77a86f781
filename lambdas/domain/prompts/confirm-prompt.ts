import { neverInvoked, type PromptReceipt } from '../../../protocol/agent-sessions.js';
import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { messageKey } from '../chats/message.js';
import { transact, type Write } from '../records/transact.js';
import type { Answer } from './decide-move.js';
import { type DeliveryReason, type Prompt, promptKey } from './prompt.js';
import { confirmed, confirmLater } from './waiting-prompt.js';

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
 */
export async function confirmPrompt(
  table: Table,
  prompt: Prompt,
  { chat, answer, now }: { readonly chat: Chat; readonly answer: Answer; readonly now: Date },
): Promise<void> {
  // What was read has reached its agent, whatever has become of that since.
  const confirmation = prompt.deliveryState === 'acked' ? 'untold' : readAnswer(answer, prompt, chat);
  if (confirmation === 'open') {
    await transact(table, [confirmLater(prompt, now)]);
    return;
  }
  const { chatId, deliveryId, version } = prompt;
  const shown = typeof confirmation === 'object' ? confirmation : undefined;
  const at = now.toISOString();
  await transact(table, [
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
        remove: ['unconfirmedId', 'unconfirmedRestarts'],
        add: { version: 1 },
        when: { equals: { unconfirmedId: deliveryId } },
      },
    },
    confirmed(chatId),
    ...(shown ? [showAs(prompt, shown)] : []),
  ]);
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
