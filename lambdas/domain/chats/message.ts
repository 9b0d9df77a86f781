import * as z from 'zod/mini';
import { WholeContent } from '../../../protocol/agent-callbacks.js';
import { MessageDelivery, messageRoles } from '../../../protocol/chat-messages.js';
import { Ulid } from '../../../protocol/ids.js';

export const Message = z.object({
  chatId: Ulid,
  projectId: Ulid,
  /** Its place in the chat, from 1 without gaps. */
  sequence: z.int(),
  messageId: z.string(),
  role: z.enum(messageRoles),
  content: z.string(),
  /** All that it says where `content` is only the beginning. */
  whole: z.optional(WholeContent),
  toolMetadata: z.nullable(z.record(z.string(), z.unknown())),
  origin: z.nullable(z.enum(['user', 'system'])),
  delivery: z.optional(MessageDelivery),
  /** When it arose, by the clock of where it did. */
  createdAt: z.iso.datetime(),
});
export type Message = z.infer<typeof Message>;

const digits = 12;

/** Sorts as the number does. */
export const messageSk = (sequence: number): string => `MESSAGE#${String(sequence).padStart(digits, '0')}`;

export const messageKey = (chatId: string, sequence: number) => ({
  pk: `CHAT#${chatId}`,
  sk: messageSk(sequence),
});

/** Is there for each message of a person: the node repeats what it was prompted with, and it is stored once. */
export const messageIdKey = (chatId: string, messageId: string) => ({
  pk: `CHAT#${chatId}`,
  sk: `MESSAGEID#${messageId}`,
});

export const messageIdItem = (chatId: string, messageId: string, sequence: number) => ({
  ...messageIdKey(chatId, messageId),
  entity: 'message-id',
  schemaVersion: 1,
  messageId,
  sequence,
});

/** The same of a message that is a prompt: who sends it again finds out what became of it. */
export const SentMessage = z.object({ sequence: z.int(), deliveryId: Ulid, contentHash: z.string() });
export type SentMessage = z.infer<typeof SentMessage>;

export const messageItem = (message: Message) => ({
  ...messageKey(message.chatId, message.sequence),
  entity: 'message',
  schemaVersion: 1,
  ...message,
});
