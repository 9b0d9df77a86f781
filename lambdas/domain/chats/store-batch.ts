import type {
  ConversationMessage,
  MessageBatch,
  MessageBatchResult,
} from '../../../protocol/agent-callbacks.js';
import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { Conversation } from '../agent-sessions/load-telling-session.js';
import { keysOfMessage } from '../prompts/prompt.js';
import { getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { withoutNulls } from '../records/changes.js';
import { transact, type Write } from '../records/transact.js';
import { Task, taskKey } from '../tasks/task.js';
import { type Chat, type ChatActivity, chatKey, maxMessagesPerChat } from './chat.js';
import { MessageLimitExceeded } from './errors.js';
import { type ContentParts, keepContents } from './keep-contents.js';
import { loadToldChat, type Told } from './load-told-chat.js';
import { messageIdItem, messageItem } from './message.js';
import { type SortedBatch, sortBatch, type Teller } from './sort-batch.js';
import { toldActivity } from './told-activity.js';

/** With the workspace, the chat and its task, one batch of reads stays at the hundred that it may have. */
const keysPerRead = 97;
/** With the chat itself and the ids of people's messages, one transaction stays under the hundred that it may have. */
const messagesPerWrite = 48;

export interface Batch extends Told, Pick<Teller, 'streamId'>, Pick<MessageBatch, 'activity'> {
  readonly messages: readonly ConversationMessage[];
}

export interface StoredBatch {
  readonly result: MessageBatchResult;
  /** Of whose agent something was told, as it is now. */
  readonly told?: Conversation;
}

/**
 * Stores what a node tells of a conversation, once and in order: the mark of how far it was heard moves in the
 * transaction that stores the messages, and only from where it was read. What the agent does moves with it, so that a batch
 * that comes late or again never brings back what it did before. At most four table calls, and one or two more where a
 * batch has over forty-eight messages of people.
 *
 * @throws {WorkspaceNotFound | StaleGeneration | ChatNotFound | ChatNotLinked | MessageLimitExceeded | ContentNotStored}
 * @throws {Unavailable} another batch of the chat was stored at the same moment; a repeat finds out what is missing
 */
export async function storeBatch(table: Table, batch: Batch, parts: ContentParts): Promise<StoredBatch> {
  const { chat, task, knownIds } = await load(table, batch);
  const sorted = sortBatch(chat, batch, batch.messages, knownIds);
  if (chat.lastSequence + sorted.fresh.length > maxMessagesPerChat) throw new MessageLimitExceeded();
  await keepContents(parts, chat, sorted.fresh);
  const { activity } = batch;
  const taken = sorted.isNews && isOfItsAgent(chat, activity) ? activity : undefined;
  const told = taken && toldActivity(chat, taken, parts.now);
  const after = sorted.isNews
    ? await store(table, chat, { ...sorted, activity: told, now: parts.now })
    : chat;
  return {
    result: {
      persisted: sorted.fresh.length,
      duplicates: sorted.duplicates,
      ...(activity ? { activityTaken: taken !== undefined } : {}),
    },
    ...(told ? { told: { chat: after, task } } : {}),
  };
}

const isOfItsAgent = (chat: Chat, activity: Batch['activity']): boolean =>
  chat.projectId === activity?.projectId && chat.agentSessionId === activity.agentSessionId;

async function load(table: Table, { messages, activity, ...told }: Batch) {
  const { chatId } = told;
  const people = messages.filter(({ role }) => role === 'user');
  const ids = [...new Set(people.map(({ messageId }) => messageId))];
  const keys = ids.flatMap((messageId) => keysOfMessage(chatId, messageId));
  // A task has the id of its chat. That its agent works changes nothing of it.
  const taskAt =
    activity && activity.activity !== 'prompting' ? taskKey(activity.projectId, chatId) : undefined;
  const { chat, find } = await loadToldChat(table, told, [
    ...(taskAt ? [taskAt] : []),
    ...keys.slice(0, keysPerRead),
  ]);
  const finds = [find];
  for (let start = keysPerRead; start < keys.length; start += keysPerRead)
    finds.push(await getItems(table, keys.slice(start, start + keysPerRead)));
  const isThere = (key: Key) => finds.some((each) => each(key));
  const knownIds = new Set(ids.filter((messageId) => keysOfMessage(chatId, messageId).some(isThere)));
  const task = taskAt && find(taskAt);
  return { chat, task: task && Task.parse(task), knownIds };
}

interface Storing extends SortedBatch {
  readonly activity: ChatActivity | undefined;
  readonly now: Date;
}

async function store(table: Table, chat: Chat, { fresh, heard, activity, now }: Storing): Promise<Chat> {
  let before = chat;
  for (let start = 0; start === 0 || start < fresh.length; start += messagesPerWrite) {
    const part = fresh.slice(start, start + messagesPerWrite);
    const isLast = start + messagesPerWrite >= fresh.length;
    const last = part.at(-1);
    const mark = isLast || !last ? heard : { ...heard, sequence: last.sequence };
    before = await write(table, before, { part, heard: mark, activity: isLast ? activity : undefined, now });
  }
  return before;
}

interface Part {
  readonly part: readonly ConversationMessage[];
  readonly heard: NonNullable<Chat['heard']>;
  readonly activity: ChatActivity | undefined;
  readonly now: Date;
}

async function write(table: Table, chat: Chat, { part, heard, activity, now }: Part): Promise<Chat> {
  const { chatId } = chat;
  const changed: Chat = {
    ...chat,
    heard,
    activity: activity ?? chat.activity,
    lastSequence: chat.lastSequence + part.length,
    messageCount: chat.messageCount + part.length,
    contentBytes: part.reduce((sum, { whole }) => sum + (whole?.bytes ?? 0), chat.contentBytes),
    version: chat.version + 1,
    lastMessageAt: part.at(-1)?.timestamp ?? chat.lastMessageAt,
    updatedAt: now.toISOString(),
  };
  const { lastSequence, messageCount, contentBytes, version, lastMessageAt, updatedAt } = changed;
  const told = activity && withoutNulls(activity);
  const counts = { lastSequence, messageCount, contentBytes, version };
  const messages = part.flatMap((message, index) =>
    messageWrites(chat, message, chat.lastSequence + 1 + index),
  );
  const { committed } = await transact(table, [
    {
      update: {
        key: chatKey(chatId),
        set: { heard, activity: told, ...counts, lastMessageAt, updatedAt },
        // Whoever else changed the chat meanwhile may have taken the next number.
        when: { equals: { version: chat.version } },
      },
    },
    ...messages,
  ]);
  if (!committed) throw new Unavailable('The session was changed at the same moment; try again');
  return changed;
}

function messageWrites({ chatId, projectId }: Chat, told: ConversationMessage, sequence: number): Write[] {
  const { messageId, role, content, whole, toolMetadata = null, origin = null, timestamp: createdAt } = told;
  const said = { role, content, whole, toolMetadata, origin };
  const message = { chatId, projectId, sequence, messageId, ...said, createdAt };
  const write: Write = { put: messageItem(message), when: {} };
  if (role !== 'user') return [write];
  return [write, { put: messageIdItem(chatId, messageId, sequence), when: {} }];
}
