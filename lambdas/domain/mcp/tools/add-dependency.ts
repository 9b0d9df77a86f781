import * as z from 'zod/mini';
import { getItems } from '../../records/batch-items.js';
import { TaskNotFound, TaskNotInState } from '../../tasks/errors.js';
import { Task, taskKey } from '../../tasks/task.js';
import {
  addDependency as add,
  maxDependenciesPerProject,
  maxDependenciesPerTask,
  readGraph,
  taskGraphKey,
} from '../../tasks/task-dependencies.js';
import { isNotStarted } from '../../tasks/task-status.js';
import { idOf } from '../arguments.js';
import { tool } from '../tool.js';

export const addDependency = tool({
  name: 'add_dependency',
  description: `Make a task that was not started (status draft or ready) wait for another task of the project. The task cannot run before the other task is completed. A dispatched task has started and cannot wait. Limits: ${maxDependenciesPerTask} dependencies of a task, ${maxDependenciesPerProject} of a project, no cycles. Repeating the call changes nothing.`,
  policy: { equals: ['task.link'] },
  args: z.strictObject({
    taskId: idOf('Id of the task that waits. Its status must be draft or ready.'),
    dependsOnTaskId: idOf('Id of the task that must be completed first.'),
  }),
  handle: async ({ taskId, dependsOnTaskId }, { caller: { project }, table }) => {
    const { projectId } = project;
    const keys = { task: taskKey(projectId, taskId), graph: taskGraphKey(projectId) };
    const find = await getItems(table, Object.values(keys));
    const found = find(keys.task);
    if (!found) throw new TaskNotFound();
    const task = Task.parse(found);
    if (!isNotStarted(task.status))
      throw new TaskNotInState(task.status, 'Only a draft or ready task can get a dependency.');
    await add(table, { task, dependsOn: dependsOnTaskId, graph: readGraph(find(keys.graph)) });
    return { taskId, dependsOnTaskId, added: true };
  },
});
