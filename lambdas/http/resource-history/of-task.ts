// GET /api/projects/{projectId}/tasks/{taskId}/resource-history
import { TaskNotFound } from '../../domain/tasks/errors.js';
import { Task, taskKey } from '../../domain/tasks/task.js';
import { ofTask } from './contract.js';
import { historyRoute } from './history-route.js';

export const handler = historyRoute(ofTask, {
  of: 'conversation',
  param: 'taskId',
  key: taskKey,
  idOf: (item) => Task.parse(item).taskId,
  missing: () => new TaskNotFound(),
});
