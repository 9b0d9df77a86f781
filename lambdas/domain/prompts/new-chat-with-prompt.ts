import { type Chat, chatItem, newChat } from '../chats/chat.js';
import type { Write } from '../records/transact.js';
import type { AskedPrompt } from './accept-prompt.js';
import { loneMark } from './lone-prompt.js';
import { newPrompt } from './prompt.js';
import { promptWrites } from './prompt-writes.js';

export type ChatToBegin = Parameters<typeof newChat>[0];

/**
 * What is written of a new chat whose first message begins its agent, to be one transaction with what else begins then.
 * Nobody delivers the prompt but who makes the agent session; whatever is sent to the chat meanwhile waits for that.
 */
export function newChatWithPrompt(
  asked: ChatToBegin,
  prompt: AskedPrompt,
  now: Date,
): { readonly chat: Chat; readonly writes: readonly Write[] } {
  const { chatId, projectId } = asked;
  const first = newPrompt({ ...prompt, chatId, projectId, kind: 'start', sequence: 1, isLone: true }, now);
  const chat: Chat = {
    ...newChat(asked, now),
    messageCount: 1,
    lastSequence: 1,
    queuedPrompts: 1,
    lone: loneMark(first),
    lastMessageAt: now.toISOString(),
    startDeliveryId: prompt.deliveryId,
  };
  return { chat, writes: [{ put: chatItem(chat), when: { exists: false } }, ...promptWrites(first)] };
}
