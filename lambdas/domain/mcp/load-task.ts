import type { Table } from '../../shared/table.js';
import { Chat, chatKey } from '../chats/chat.js';
import type { McpCaller } from '../mcp-tokens/verify-mcp-token.js';
import { getItems } from '../records/batch-items.js';
import { TaskNotFound } from '../tasks/errors.js';
import { Task, taskKey } from '../tasks/task.js';
import { taskRequired } from './errors.js';

export interface FoundTask {
  readonly task: Task;
  /** Undefined before its first run. */
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
 * A subtask of this task and its chat; any other task is not found.
 *
 * @throws {TaskNotFound}
 */
export async function loadSubTask(table: Table, parent: Task, taskId: string): Promise<FoundTask> {
  const found = await loadTask(table, parent.projectId, taskId);
  if (found.task.parentTaskId !== parent.taskId) throw new TaskNotFound();
  return found;
}

/** @throws {taskRequired} the caller is in a conversation */
export function ownTask({ task }: Pick<McpCaller, 'task'>): Task {
  if (!task) throw taskRequired();
  return task;
}

/** A task without its long texts. */
export function taskBrief(task: Task) {
  const { taskId, parentTaskId, title, status, executionStep, priority, taskMode } = task;
  const { outputBranch, outputPrUrl, outputSummary, errorMessage, createdAt, updatedAt, completedAt } = task;
  return {
    id: taskId,
    parentTaskId,
    title,
    status,
    executionStep,
    priority,
    taskMode,
    outputBranch,
    outputPrUrl,
    outputSummary,
    errorMessage,
    createdAt,
    updatedAt,
    completedAt,
  };
}
