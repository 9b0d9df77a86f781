import type { Chat } from '../../lambdas/domain/chats/chat.js';
import { newTask, type Task, taskItem } from '../../lambdas/domain/tasks/task.js';
import type { Table } from '../../lambdas/shared/table.js';
import { putItem } from './project.js';

/** Stores the task of a chat: a conversation, unless `more` says otherwise. */
export async function putTask(table: Table, chat: Chat, more: Partial<Task> = {}): Promise<Task> {
  const { chatId, projectId, userId, workspaceId, agentSessionId } = chat;
  const startedAt = new Date().toISOString();
  const ids = { taskId: chatId, chatId, projectId, userId, workspaceId, agentSessionId };
  const asked = { ...ids, title: 'Talk', taskMode: 'conversation', run: 1, startedAt, ...more } as const;
  const task = newTask(asked, new Date());
  await putItem(table, taskItem(task));
  return task;
}
