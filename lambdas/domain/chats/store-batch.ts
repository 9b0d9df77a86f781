import type {
  ConversationMessage,
  MessageBatch,
  MessageBatchResult,
} from '../../../protocol/agent-callbacks.js';
import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { Conversation } from '../agent-sessions/load-reporting-session.js';
import { keysOfMessage } from '../prompts/prompt.js';
import { getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { transact, type Write } from '../records/transact.js';
import { Task, taskKey } from '../tasks/task.js';
import { chatChange } from './change-chat.js';
import { type Chat, type ChatActivity, maxMessagesPerChat } from './chat.js';
import { activityAfter } from './chat-activity.js';
import { type ContentDeps, keepContents, wholeMessages } from './content-uploads.js';
import { MessageLimitExceeded } from './errors.js';
import { type ChatReporter, loadReportingChat } from './find-chat.js';
import { messageIdItem, messageItem } from './message.js';
import { type Reporter, type SortedBatch, sortBatch } from './sort-batch.js';
import { markUnstored, unmarkStored } from './unstored-content.js';

/** DynamoDB reads 100 items a call: these, the workspace, the chat and its task. */
const keysPerRead = 97;
/**
 * DynamoDB writes 100 items a transaction: the chat, up to two for each message, and one for each
 * of at most ten contents.
 */
const messagesPerWrite = 44;

interface Batch extends ChatReporter, Pick<Reporter, 'streamId'>, Pick<MessageBatch, 'activity'> {
  readonly messages: readonly ConversationMessage[];
}

interface StoredBatch {
  readonly result: MessageBatchResult;
  /** Set when the batch changed the activity of the chat's agent. */
  readonly active?: Conversation;
}

/**
 * Stores reported messages once and in order: the transaction that stores them moves the chat's
 * cursor, on condition that the chat is as it was read. The activity of the batch changes with it,
 * so that a late or repeated batch restores no old activity. At most four table calls, one more for
 * a batch with contents, and one or two more for a batch with over 44 messages of people.
 *
 * @throws {workspaceNotFound | StaleGeneration | chatNotFound | chatNotLinked}
 * @throws {MessageLimitExceeded | contentNotStored}
 * @throws {Unavailable} the chat changed at the same time; the node sends the batch again
 */
export async function storeBatch(table: Table, batch: Batch, deps: ContentDeps): Promise<StoredBatch> {
  const { chat, task, knownIds } = await load(table, batch);
  const sorted = sortBatch(chat, batch, batch.messages, knownIds);
  if (chat.lastSequence + sorted.fresh.length > maxMessagesPerChat) throw new MessageLimitExceeded();
  await markUnstored(table, chat, { messages: wholeMessages(sorted.fresh), now: deps.now });
  await keepContents(deps, chat, sorted.fresh);
  const { activity: report } = batch;
  const taken = sorted.isNew && isOfAgent(chat, report) ? report : undefined;
  const activity = taken && activityAfter(chat, taken, deps.now);
  const after = sorted.isNew ? await store(table, chat, { ...sorted, activity, now: deps.now }) : chat;
  return {
    result: {
      persisted: sorted.fresh.length,
      duplicates: sorted.duplicates,
      ...(report ? { activityTaken: taken !== undefined } : {}),
    },
    ...(activity ? { active: { chat: after, task } } : {}),
  };
}

const isOfAgent = (chat: Chat, report: Batch['activity']): boolean =>
  chat.projectId === report?.projectId && chat.agentSessionId === report.agentSessionId;

async function load(table: Table, { messages, activity, ...reporter }: Batch) {
  const { chatId } = reporter;
  const people = messages.filter(({ role }) => role === 'user');
  const ids = [...new Set(people.map(({ messageId }) => messageId))];
  const keys = ids.flatMap((messageId) => keysOfMessage(chatId, messageId));
  // A task has the id of its chat. A working agent does not change its task.
  const taskAt =
    activity && activity.activity !== 'prompting' ? taskKey(activity.projectId, chatId) : undefined;
  const { chat, find } = await loadReportingChat(table, reporter, [
    ...(taskAt ? [taskAt] : []),
    ...keys.slice(0, keysPerRead),
  ]);
  const finds = [find];
  for (let start = keysPerRead; start < keys.length; start += keysPerRead)
    finds.push(await getItems(table, keys.slice(start, start + keysPerRead)));
  const isStored = (key: Key) => finds.some((each) => each(key));
  const knownIds = new Set(ids.filter((messageId) => keysOfMessage(chatId, messageId).some(isStored)));
  const task = taskAt && find(taskAt);
  return { chat, task: task && Task.parse(task), knownIds };
}

interface Storing extends Pick<SortedBatch, 'fresh' | 'cursor'> {
  readonly activity: ChatActivity | undefined;
  readonly now: Date;
}

async function store(table: Table, chat: Chat, { fresh, cursor, activity, now }: Storing): Promise<Chat> {
  let current = chat;
  for (let start = 0; start === 0 || start < fresh.length; start += messagesPerWrite) {
    const part = fresh.slice(start, start + messagesPerWrite);
    const isLast = start + messagesPerWrite >= fresh.length;
    const last = part.at(-1);
    current = await writePart(table, current, {
      fresh: part,
      cursor: isLast || !last ? cursor : { ...cursor, sequence: last.sequence },
      activity: isLast ? activity : undefined,
      now,
    });
  }
  return current;
}

async function writePart(table: Table, chat: Chat, part: Storing): Promise<Chat> {
  const { fresh, cursor, activity, now } = part;
  const contentBytes = fresh.reduce((sum, { whole }) => sum + (whole?.bytes ?? 0), 0);
  const lastMessageAt = fresh.at(-1)?.timestamp ?? chat.lastMessageAt;
  const lastSequence = chat.lastSequence + fresh.length;
  const { committed } = await transact(table, [
    {
      update: chatChange(chat.chatId, {
        set: { cursor, activity, lastSequence, lastMessageAt },
        increment: { messageCount: fresh.length, contentBytes },
        // Another writer may have taken the next sequence number.
        when: { equals: { version: chat.version } },
        now,
      }),
    },
    ...fresh.flatMap((message, index) => messageWrites(chat, message, chat.lastSequence + 1 + index)),
    ...unmarkStored(chat, wholeMessages(fresh)),
  ]);
  if (!committed) throw new Unavailable('The session changed at the same time. Try again.');
  return {
    ...chat,
    cursor,
    activity: activity ?? chat.activity,
    lastSequence,
    lastMessageAt,
    messageCount: chat.messageCount + fresh.length,
    contentBytes: chat.contentBytes + contentBytes,
    version: chat.version + 1,
    updatedAt: now.toISOString(),
  };
}

function messageWrites(
  { chatId, projectId }: Chat,
  reported: ConversationMessage,
  sequence: number,
): Write[] {
  const { messageId, role, content, whole, toolMetadata = null, origin = null, timestamp } = reported;
  const item = messageItem({
    chatId,
    projectId,
    sequence,
    messageId,
    role,
    content,
    whole,
    toolMetadata,
    origin,
    createdAt: timestamp,
  });
  const write: Write = { put: item, when: {} };
  if (role !== 'user') return [write];
  return [write, { put: messageIdItem(chatId, messageId, sequence), when: {} }];
}
