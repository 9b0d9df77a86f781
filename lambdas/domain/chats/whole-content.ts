import type { WholeContent } from '../../../protocol/agent-callbacks.js';
import type { Chat } from './chat.js';

/** Objects below the first are gone after a day, those below the second stay with their chat. */
export const contentPrefixes = { uploaded: 'message-uploads', kept: 'message-content' } as const;

/** All that a chat may hold beside its messages. */
export const maxContentBytesPerChat = 1024 ** 3;

export interface WholeMessage {
  readonly messageId: string;
  readonly whole: WholeContent;
}

/** What a message is too long for is an object named after chat, message and hash: another content is another object. */
export const contentKey = (
  kind: keyof typeof contentPrefixes,
  { projectId, chatId }: Pick<Chat, 'projectId' | 'chatId'>,
  { messageId, whole }: WholeMessage,
): string => `${contentPrefixes[kind]}/${projectId}/${chatId}/${messageId}/${whole.sha256}`;
