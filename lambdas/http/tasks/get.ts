// GET /api/projects/{projectId}/tasks/{taskId}
import { chatKey } from '../../domain/chats/chat.js';
import { loadTaskDetail } from '../../domain/tasks/load-task.js';
import { taskGraphKey } from '../../domain/tasks/task-dependencies.js';
import { taskRoute } from '../../edge/task-route.js';
import { get } from './contract.js';
import { taskView } from './task-view.js';

export const handler = taskRoute(
  get,
  async ({ task, find, table }) => ({
    status: 200,
    body: { ...taskView(task), ...(await loadTaskDetail(table, task, find)) },
  }),
  (projectId, taskId) => [taskGraphKey(projectId), chatKey(taskId)],
);
