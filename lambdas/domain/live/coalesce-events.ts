import type { LiveEvent, LiveMessage } from '../../../protocol/live.js';
import type { Message } from '../chats/message.js';
import { messageView } from '../chats/message-view.js';
import { maxFrameBytes } from './push.js';
import { chatTopic } from './topic.js';

/**
 * Keeps only the newest event of each record and kind: a client reads the record anyway. Events
 * without a version are entries of their own, and all are kept. A batch of changes therefore costs
 * a subscriber at most one event per record and kind.
 */
export function newestEvents(messages: readonly LiveEvent[]): readonly LiveEvent[] {
  const kept = new Map<string, LiveEvent>();
  for (const [index, message] of messages.entries()) {
    const subject = 'version' in message ? subjectOf(message) : index;
    kept.set(`${message.topic} ${message.type} ${subject}`, message);
  }
  return [...kept.values()];
}

function subjectOf({ type, data }: Extract<LiveEvent, { version: number }>): string {
  if (type === 'workspace.status' || type === 'workspace.evicted') return data.workspaceId;
  if (type === 'session.wake_progress') return data.workspaceId;
  if (type === 'task.updated') return data.taskId;
  return type === 'prompt.updated' ? data.deliveryId : data.sessionId;
}

/**
 * Leaves room in the frame for other events and for messages without content, which take at most a
 * third of it.
 */
const maxMessagesBytes = maxFrameBytes - 2 * 1024;

type MessageEvent = Extract<LiveEvent, { type: 'message.new' }>;

/** The event of a new message. */
export function messageEvent(message: Message): MessageEvent {
  const { chatId } = message;
  const data = { sessionId: chatId, message: messageView(message) };
  return { type: 'message.new', topic: chatTopic(chatId), data };
}

/**
 * Joins the new messages of each chat into one event, before all other events. Messages that do not
 * fit are sent without content; clients read them.
 */
export function gatherMessages(found: readonly LiveEvent[]): readonly LiveEvent[] {
  const added = found.filter((message) => message.type === 'message.new');
  const rest = found.filter((message) => message.type !== 'message.new');
  return [...[...Map.groupBy(added, ({ topic }) => topic).values()].flatMap(together), ...rest];
}

function together(added: readonly MessageEvent[]): readonly LiveEvent[] {
  const inOrder = added.map(({ data }) => data.message).sort((a, b) => a.sequence - b.sequence);
  const messages = fitted(inOrder);
  const [first] = added;
  const [message] = messages;
  if (!first || !message) return [];
  const { topic, data } = first;
  const { sessionId } = data;
  return messages.length === 1
    ? [{ type: 'message.new', topic, data: { sessionId, message } }]
    : [{ type: 'messages.batch', topic, data: { sessionId, messages } }];
}

function fitted(messages: readonly LiveMessage[]): LiveMessage[] {
  const pairs = messages.map((message) => ({ message, hint: hintOf(message) }));
  let room = maxMessagesBytes - bytesOf(pairs.map(({ hint }) => hint));
  return pairs.map(({ message, hint }) => {
    const bytes = bytesOf(message) - bytesOf(hint);
    if (bytes > room) return hint;
    room -= bytes;
    return message;
  });
}

const hintOf = (message: LiveMessage): LiveMessage => ({ ...message, content: null, toolMetadata: null });

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
