import * as z from 'zod/mini';
import { WholeContent } from '../../../protocol/agent-callbacks.js';
import { MessageDelivery, messageRoles } from '../../../protocol/chat-messages.js';
import { Ulid } from '../../../protocol/ids.js';
import type { Chat } from './chat.js';

export const Message = z.object({
  chatId: Ulid,
  projectId: Ulid,
  /** The place in the chat: from 1, without gaps. */
  sequence: z.int(),
  messageId: z.string(),
  role: z.enum(messageRoles),
  content: z.string(),
  /** Set when `content` is only the beginning: the complete content is in S3. */
  whole: z.optional(WholeContent),
  toolMetadata: z.nullable(z.record(z.string(), z.unknown())),
  origin: z.nullable(z.enum(['user', 'system'])),
  delivery: z.optional(MessageDelivery),
  /** The time on the clock of the sender. */
  createdAt: z.iso.datetime(),
});
export type Message = z.infer<typeof Message>;

const digits = 12;

/** Sorts like the number. */
export const messageSk = (sequence: number): string => `MESSAGE#${String(sequence).padStart(digits, '0')}`;

export const messageKey = (chatId: string, sequence: number) => ({
  pk: `CHAT#${chatId}`,
  sk: messageSk(sequence),
});

/** One for each message of a person: the node reports a prompt back, and it is stored once. */
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

/** The item of a message that is a prompt. A repeat of the prompt is recognised by it. */
export const SentMessage = z.object({ sequence: z.int(), deliveryId: Ulid, contentHash: z.string() });
export type SentMessage = z.infer<typeof SentMessage>;

export const messageItem = (message: Message) => ({
  ...messageKey(message.chatId, message.sequence),
  entity: 'message',
  schemaVersion: 1,
  ...message,
});

/** S3 deletes uploads after a day. Kept content stays with its chat. */
const contentPrefixes = { uploaded: 'message-uploads', kept: 'message-content' } as const;

/** The limit of the content of long messages in one chat. */
export const maxContentBytesPerChat = 1024 ** 3;

export interface WholeMessage {
  readonly messageId: string;
  readonly whole: WholeContent;
}

/** The object is named after chat, message and hash: other content is another object. */
export const contentKey = (
  kind: keyof typeof contentPrefixes,
  { projectId, chatId }: Pick<Chat, 'projectId' | 'chatId'>,
  { messageId, whole }: WholeMessage,
): string => `${contentPrefixes[kind]}/${projectId}/${chatId}/${messageId}/${whole.sha256}`;
