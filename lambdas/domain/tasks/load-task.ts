import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { Message, messageKey } from '../chats/message.js';
import { joinFragments } from '../chats/message-view.js';
import { type Find, getItems } from '../records/batch-items.js';
import { TaskEnded, TaskNotFound } from './errors.js';
import { Task, taskKey } from './task.js';
import { dependenciesOf, readGraph, taskGraphKey } from './task-dependencies.js';
import { isActive } from './task-status.js';

/** With the dependencies of a task, fewer than one batch read may have. */
const newestMessages = 40;
const maxFinalCharacters = 32_768;

/**
 * The dependencies, question and last message of a task. `find` has the project's graph and the
 * task's chat. One table call, or none.
 */
export async function loadTaskDetail(table: Table, task: Task, find: Find) {
  const { projectId, taskId } = task;
  const waitsFor = dependenciesOf(readGraph(find(taskGraphKey(projectId))), taskId).map((id) =>
    taskKey(projectId, id),
  );
  const found = find(chatKey(taskId));
  const chat = found && Chat.parse(found);
  const messages = chat ? newestOf(chat) : [];
  const keys = [...waitsFor, ...messages];
  const read: Find = keys.length > 0 ? await getItems(table, keys) : () => undefined;

  const dependencies = waitsFor.flatMap((key) => {
    const item = read(key);
    return item ? [dependencyView(Task.parse(item))] : [];
  });
  const said = messages.flatMap((key) => {
    const item = read(key);
    return item ? [Message.parse(item)] : [];
  });
  return {
    dependencies,
    attention: chat?.attention ?? null,
    blocked: dependencies.some(({ status }) => status !== 'completed'),
    finalAssistantMessage: finalWords(said),
  };
}

/** Only the end of a long message: the chat has all of it. */
function finalWords(said: readonly Message[]): string | null {
  const content = joinFragments(said).findLast(({ role }) => role === 'assistant')?.content ?? null;
  if (content === null || content.length <= maxFinalCharacters) return content;
  // Not the second half of a surrogate pair.
  return content.slice(-maxFinalCharacters).replace(/^[\udc00-\udfff]/, '');
}

function newestOf({ chatId, lastSequence }: Chat) {
  const first = Math.max(1, lastSequence - newestMessages + 1);
  return Array.from({ length: lastSequence - first + 1 }, (_, index) => messageKey(chatId, first + index));
}

const dependencyView = ({ taskId, title, status }: Task) => ({ taskId, title, status });

/** One table call. */
export async function findTask(table: Table, projectId: string, taskId: string): Promise<Task | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: taskKey(projectId, taskId), ConsistentRead: true }),
  );
  return Item && Task.parse(Item);
}

/** One execution of a task. */
export interface TaskRun {
  readonly projectId: string;
  readonly taskId: string;
  readonly run: number;
}

/** @throws {TaskEnded} the execution has ended: cancelled, failed or followed by another */
export function requireRun(task: Task, { run }: Pick<TaskRun, 'run'>): void {
  if (task.run !== run || !isActive(task.status)) throw new TaskEnded();
}

/**
 * The task of an active execution. One table call.
 *
 * @throws {TaskNotFound | TaskEnded}
 */
export async function loadRun(table: Table, run: TaskRun): Promise<Task> {
  const task = await findTask(table, run.projectId, run.taskId);
  if (!task) throw new TaskNotFound();
  requireRun(task, run);
  return task;
}
