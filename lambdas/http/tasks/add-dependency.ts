// POST /api/projects/{projectId}/tasks/{taskId}/dependencies
import { addDependency as add, readGraph, taskGraphKey } from '../../domain/tasks/task-dependencies.js';
import { taskRoute } from '../../edge/task-route.js';
import { addDependency } from './contract.js';

export const handler = taskRoute(
  addDependency,
  async ({ task, body: { dependsOnTaskId }, find, table }) => {
    const graph = readGraph(find(taskGraphKey(task.projectId)));
    await add(table, { task, dependsOn: dependsOnTaskId, graph });
    return { status: 200, body: { taskId: task.taskId, dependsOnTaskId } };
  },
  (projectId) => [taskGraphKey(projectId)],
);
