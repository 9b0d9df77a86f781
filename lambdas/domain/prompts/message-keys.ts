import { Ulid } from '../../../protocol/ids.js';
import { messageIdKey } from '../chats/message.js';
import type { Key } from '../records/changes.js';
import { promptKey } from './prompt.js';

/** The prompt whose own id a message has that was sent without one; none where the id cannot be ours. */
export const promptOfMessage = (chatId: string, messageId: string): readonly Key[] =>
  Ulid.safeParse(messageId).success ? [promptKey(chatId, messageId)] : [];

/** Where one of these is, the chat has the message: under its sender's id, or as the prompt whose id it has. */
export const keysOfMessage = (chatId: string, messageId: string): readonly Key[] => [
  messageIdKey(chatId, messageId),
  ...promptOfMessage(chatId, messageId),
];
