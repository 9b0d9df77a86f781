import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import { getItems } from '../records/batch-items.js';
import { TaskNotFound } from '../tasks/errors.js';
import { Task, taskKey } from '../tasks/task.js';

export interface FoundTask {
  readonly task: Task;
  /** None before it was first executed. */
  readonly chat: Chat | undefined;
}

/**
 * A task of the project and its chat. One table call.
 *
 * @throws {TaskNotFound}
 */
export async function loadTask(table: Table, projectId: string, taskId: string): Promise<FoundTask> {
  const keys = { task: taskKey(projectId, taskId), chat: chatKey(taskId) };
  const find = await getItems(table, Object.values(keys));
  const [task, chat] = [find(keys.task), find(keys.chat)];
  if (!task) throw new TaskNotFound();
  return { task: Task.parse(task), chat: chat && Chat.parse(chat) };
}

/**
 * The same of a task that is right below another one; any other is none.
 *
 * @throws {TaskNotFound}
 */
export async function loadSubTask(table: Table, parent: Task, taskId: string): Promise<FoundTask> {
  const found = await loadTask(table, parent.projectId, taskId);
  if (found.task.parentTaskId !== parent.taskId) throw new TaskNotFound();
  return found;
}
