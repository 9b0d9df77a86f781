import type { Table } from '../../shared/table.js';
import { type Chat, chatKey } from '../chats/chat.js';
import { messageKey } from '../chats/message.js';
import { transact, type Write } from '../records/transact.js';
import type { Answer } from './decide-move.js';
import { type DeliveryReason, type Prompt, promptKey } from './prompt.js';
import { confirmed, confirmLater } from './waiting-prompt.js';

/** What is known at last of a prompt that the node had taken. */
type Confirmation = 'completed' | 'open' | 'untold' | { readonly ambiguous: DeliveryReason };

/**
 * Writes down what a node says of the prompt that it took last. A run of its agent that ended, or a coding agent that did,
 * may have had the prompt or not: nobody can know, and people are told so. One table call.
 */
export async function confirmPrompt(
  table: Table,
  prompt: Prompt,
  { chat, answer, now }: { readonly chat: Chat; readonly answer: Answer; readonly now: Date },
): Promise<void> {
  // What was read has reached its agent, whatever has become of that since.
  const confirmation = prompt.deliveryState === 'acked' ? 'untold' : readAnswer(answer, prompt);
  if (confirmation === 'open') {
    await transact(table, [confirmLater(prompt, now)]);
    return;
  }
  const { chatId, deliveryId, version } = prompt;
  const isAmbiguous = typeof confirmation === 'object';
  const at = now.toISOString();
  await transact(table, [
    {
      update: {
        key: promptKey(chatId, deliveryId),
        set: {
          ...(confirmation === 'completed' ? { receiptState: 'completed' } : {}),
          ...(isAmbiguous ? { receiptState: 'ambiguous', terminalReason: confirmation.ambiguous } : {}),
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
    ...(isAmbiguous ? [shownAmbiguous(prompt, confirmation.ambiguous)] : []),
  ]);
}

function shownAmbiguous({ chatId, sequence, deliveryId }: Prompt, reason: DeliveryReason): Write {
  return {
    update: {
      key: messageKey(chatId, sequence),
      set: { delivery: { deliveryId, state: 'ambiguous', reason } },
      when: { exists: true },
    },
  };
}

function readAnswer(answer: Answer, { runtimeIdentity }: Prompt): Confirmation {
  switch (answer.told) {
    case 'accepted':
      if (answer.receipt.state === 'completed') return 'completed';
      return answer.receipt.state === 'ambiguous' ? { ambiguous: 'runtime_changed' } : 'open';
    case 'not_found':
      return { ambiguous: answer.runtimeIdentity === runtimeIdentity ? 'lost_response' : 'runtime_changed' };
    case 'lost':
      // The session went with its workspace; what it did with the prompt stands in the conversation.
      return 'untold';
    default:
      return 'open';
  }
}
