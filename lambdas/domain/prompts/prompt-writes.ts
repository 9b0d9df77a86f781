import { hashText } from '../../shared/hash-text.js';
import { type Message, messageIdItem, messageItem, type SentMessage } from '../chats/message.js';
import type { Write } from '../records/transact.js';
import { promptOfMessage } from './message-keys.js';
import { countIn } from './project-queue.js';
import { type Prompt, promptItem } from './prompt.js';
import { sweptBy, waitingItem } from './waiting-prompt.js';

/** Tells one intent from another under the same id. */
export const contentHash = ({ messageClass, content }: Pick<Prompt, 'messageClass' | 'content'>): string =>
  hashText(`${messageClass}\0${content}`);

/**
 * What is written of a new prompt besides its chat: the prompt, its sender's id of it, the message that people see, and its
 * place in the chat's queue with its count in the project. One that waits alone has neither place nor count; its chat names it.
 */
export function promptWrites(prompt: Prompt): readonly Write[] {
  const { isLone } = prompt;
  return [
    { put: { ...promptItem(prompt), ...(isLone ? sweptBy(prompt) : {}) }, when: { exists: false } },
    ...ownIdWrites(prompt),
    ...(isLone ? [] : [countIn(prompt), { put: waitingItem(prompt), when: { exists: false } }]),
    { put: messageItem(shownMessage(prompt)), when: { exists: false } },
  ];
}

/** Under its own id a prompt is found by itself; that of its sender must be no other message's, ours neither. */
function ownIdWrites(prompt: Prompt): readonly Write[] {
  const { chatId, promptMessageId, sequence, deliveryId } = prompt;
  if (promptMessageId === deliveryId) return [];
  const sent: SentMessage = { sequence, deliveryId, contentHash: contentHash(prompt) };
  return [
    { put: { ...messageIdItem(chatId, promptMessageId, sequence), ...sent }, when: { exists: false } },
    ...promptOfMessage(chatId, promptMessageId).map((check) => ({ check, when: { exists: false } })),
  ];
}

function shownMessage(prompt: Prompt): Message {
  const { chatId, projectId, sequence, promptMessageId, content, senderType, deliveryId, createdAt } = prompt;
  return {
    chatId,
    projectId,
    sequence,
    messageId: promptMessageId,
    role: 'user',
    content,
    toolMetadata: null,
    origin: senderType === 'human' ? 'user' : 'system',
    delivery: { deliveryId, state: 'queued', reason: null },
    createdAt,
  };
}
