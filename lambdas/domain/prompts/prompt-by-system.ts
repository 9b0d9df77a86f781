import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { MessageLimitExceeded } from '../chats/errors.js';
import { allowSystem } from '../policy/allow.js';
import { acceptPrompt, type PromptRequest } from './accept-prompt.js';
import { ChatEnded, ChatHasNoAgent, ChatShutsDown } from './errors.js';

const ends = [ChatEnded, ChatShutsDown, ChatHasNoAgent, MessageLimitExceeded];

/** Whether a chat refused a prompt because it takes none any more. */
export const takesNoMore = (error: unknown): boolean => ends.some((end) => error instanceof end);

type SystemPrompt = Pick<PromptRequest, 'deliveryId' | 'sourceKind' | 'content'>;

/**
 * Queues a message of the control plane itself. False: the chat has ended, has no agent, or takes
 * no more messages. A repeat with the same id changes nothing.
 */
export async function promptBySystem(
  table: Table,
  message: SystemPrompt,
  { chat, now }: { readonly chat: Chat; readonly now: Date },
): Promise<boolean> {
  const prompt: PromptRequest = {
    ...message,
    senderType: 'system',
    senderId: null,
    messageClass: 'deliver',
  };
  try {
    await acceptPrompt(table, prompt, { chat: allowSystem('chat.prompt', chat), now });
    return true;
  } catch (error) {
    if (takesNoMore(error)) return false;
    throw error;
  }
}
