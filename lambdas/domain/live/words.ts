import type { LiveEvent, LiveMessage } from '../../../protocol/live.js';
import type { Message } from '../chats/message.js';
import { messageView } from '../chats/message-view.js';
import { maxFrameBytes } from './frames.js';
import { chatTopic } from './topic.js';

/**
 * The rest of the frame is for what is told beside the words. A batch of the stream has so few changes that the hints alone
 * fill a third of it at most.
 */
const maxWordsBytes = maxFrameBytes - 2 * 1024;

type Words = Extract<LiveEvent, { type: 'message.new' }>;

/** A message that is new in its chat. */
export function wordsMessage(message: Message): Words {
  const { chatId } = message;
  const data = { sessionId: chatId, message: messageView(message) };
  return { type: 'message.new', topic: chatTopic(chatId), data };
}

/**
 * What was said in a chat together, in its order and before anything else: one frame a chat, however much was said. What
 * does not fit goes without its content, for clients to read.
 */
export function gatherWords(found: readonly LiveEvent[]): readonly LiveEvent[] {
  const said = found.filter((message) => message.type === 'message.new');
  const rest = found.filter((message) => message.type !== 'message.new');
  return [...[...Map.groupBy(said, ({ topic }) => topic).values()].flatMap(together), ...rest];
}

function together(said: readonly Words[]): readonly LiveEvent[] {
  const inOrder = said.map(({ data }) => data.message).sort((a, b) => a.sequence - b.sequence);
  const messages = fitted(inOrder);
  const [first] = said;
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
  let room = maxWordsBytes - bytesOf(pairs.map(({ hint }) => hint));
  return pairs.map(({ message, hint }) => {
    const bytes = bytesOf(message) - bytesOf(hint);
    if (bytes > room) return hint;
    room -= bytes;
    return message;
  });
}

const hintOf = (message: LiveMessage): LiveMessage => ({ ...message, content: null, toolMetadata: null });

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
