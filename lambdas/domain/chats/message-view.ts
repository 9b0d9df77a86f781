import type { ChatMessage } from '../../../protocol/chat-messages.js';
import type { JoinedMessage } from './join-fragments.js';
import type { Message } from './message.js';

/** A message as people read it: without what a tool said, which is asked for by itself. */
export function messageView(message: Message | JoinedMessage): ChatMessage {
  const { messageId, chatId, sequence, role, content, toolMetadata, origin, createdAt } = message;
  const { delivery = null, whole } = message;
  const { content: said, ...metadata } = toolMetadata ?? {};
  return {
    id: messageId,
    sessionId: chatId,
    sequence,
    lastSequence: 'lastSequence' in message ? message.lastSequence : sequence,
    role,
    content,
    contentBytes: whole?.bytes ?? null,
    toolMetadata: toolMetadata === null ? null : metadata,
    hasToolContent: said !== undefined || whole !== undefined || role === 'tool',
    origin,
    delivery,
    createdAt,
  };
}
