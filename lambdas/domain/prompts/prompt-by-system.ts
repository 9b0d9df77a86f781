import type { Table } from '../../shared/table.js';
import type { Chat } from '../chats/chat.js';
import { MessageLimitExceeded } from '../chats/errors.js';
import { allowSystem } from '../policy/allow.js';
import { acceptPrompt, type PromptRequest } from './accept-prompt.js';
import { ChatEnded, ChatHasNoAgent, ChatShutsDown } from './errors.js';

const takesNoMore = [ChatEnded, ChatShutsDown, ChatHasNoAgent, MessageLimitExceeded];

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
    if (takesNoMore.some((end) => error instanceof end)) return false;
    throw error;
  }
}
