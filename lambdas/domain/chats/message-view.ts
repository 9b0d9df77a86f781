import type { ChatMessage } from '../../../protocol/chat-messages.js';
import type { Message } from './message.js';

interface JoinedMessage extends Message {
  /** The sequence of the last joined fragment. */
  readonly lastSequence: number;
}

/**
 * Joins adjacent fragments of one role, in the given order. An agent's text is reported in
 * fragments.
 */
export function joinFragments(messages: readonly Message[]): JoinedMessage[] {
  const joined: JoinedMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const continues =
      last && isText(last) && isText(message) && last.role === message.role && !isBetween(last, message);
    if (!continues) joined.push({ ...message, lastSequence: message.sequence });
    else joined[joined.length - 1] = join(last, message);
  }
  return joined;
}

const isText = ({ role, whole }: Message): boolean => (role === 'assistant' || role === 'thinking') && !whole;

/** A message of another role lies between them. */
function isBetween(last: JoinedMessage, next: Message): boolean {
  return next.sequence !== last.lastSequence + 1 && next.sequence !== last.sequence - 1;
}

function join(last: JoinedMessage, next: Message): JoinedMessage {
  if (next.sequence > last.lastSequence)
    return { ...last, content: last.content + next.content, lastSequence: next.sequence };
  // Read backwards, the earlier piece comes later.
  return { ...next, content: next.content + last.content, lastSequence: last.lastSequence };
}

/** A message as clients see it, without tool output, which has its own route. */
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
