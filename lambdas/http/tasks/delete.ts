// DELETE /api/projects/{projectId}/tasks/{taskId}
import { deleteTask, requireDeletable } from '../../domain/tasks/delete-task.js';
import { deleteChanges } from '../../domain/tasks/kept-changes.js';
import { readGraph, taskGraphKey } from '../../domain/tasks/task-dependencies.js';
import { taskRoute } from '../../edge/task-route.js';
import { uploads } from '../../shared/clients/uploads.js';
import { delete as deletion } from './contract.js';

export const handler = taskRoute(
  deletion,
  async ({ task, find, table, now, log }) => {
    requireDeletable(task);
    // First: after the task nobody would look for them.
    if (task.run > 0) await deleteChanges({ objects: uploads, now }, task);
    await deleteTask(table, task, {
      graph: readGraph(find(taskGraphKey(task.projectId))),
      now,
    });
    log.info('Task deleted', { taskId: task.taskId });
    return { status: 204 };
  },
  (projectId) => [taskGraphKey(projectId)],
);
