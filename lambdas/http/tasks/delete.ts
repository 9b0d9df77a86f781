// DELETE /api/projects/{projectId}/tasks/{taskId}
import { deleteTask } from '../../domain/tasks/delete-task.js';
import { readGraph, taskGraphKey } from '../../domain/tasks/task-dependencies.js';
import { taskRoute } from '../../edge/task-route.js';
import { delete as deletion } from './contract.js';

export const handler = taskRoute(
  deletion,
  async ({ task, find, table, log }) => {
    await deleteTask(table, task, readGraph(find(taskGraphKey(task.projectId))));
    log.info('Task deleted', { taskId: task.taskId });
    return { status: 204 };
  },
  (projectId) => [taskGraphKey(projectId)],
);
