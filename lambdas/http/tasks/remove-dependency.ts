// DELETE /api/projects/{projectId}/tasks/{taskId}/dependencies/{dependsOnTaskId}
import { readGraph, removeDependency as remove, taskGraphKey } from '../../domain/tasks/task-dependencies.js';
import { taskRoute } from '../../edge/task-route.js';
import { removeDependency } from './contract.js';

export const handler = taskRoute(
  removeDependency,
  async ({ task, params, find, table }) => {
    const graph = readGraph(find(taskGraphKey(task.projectId)));
    await remove(table, { task, dependsOn: params.dependsOnTaskId, graph });
    return { status: 204 };
  },
  (projectId) => [taskGraphKey(projectId)],
);
