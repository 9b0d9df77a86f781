import type { Message } from './message.js';

export interface JoinedMessage extends Message {
  /** Of the last fragment that is in it. */
  readonly lastSequence: number;
}

/** An agent's text is told in pieces; neighbours of one role read as one message. In the order given. */
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

/** Something of another role lies between them. */
function isBetween(last: JoinedMessage, next: Message): boolean {
  return next.sequence !== last.lastSequence + 1 && next.sequence !== last.sequence - 1;
}

function join(last: JoinedMessage, next: Message): JoinedMessage {
  if (next.sequence > last.lastSequence)
    return { ...last, content: last.content + next.content, lastSequence: next.sequence };
  // Read backwards, the earlier piece comes later.
  return { ...next, content: next.content + last.content, lastSequence: last.lastSequence };
}
