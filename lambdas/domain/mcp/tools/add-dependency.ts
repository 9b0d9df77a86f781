import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { getItems } from '../../records/batch-items.js';
import { TaskNotFound, TaskNotInState } from '../../tasks/errors.js';
import { Task, taskKey } from '../../tasks/task.js';
import { addDependency as add, readGraph, taskGraphKey } from '../../tasks/task-dependencies.js';
import { isNotStarted } from '../../tasks/task-status.js';
import { tool } from '../tool.js';

export const addDependency = tool({
  name: 'add_dependency',
  description:
    'Make a task that was not started (status draft or ready) wait for another task of the project. It cannot run before that task is completed. A dispatched task has started and cannot wait. Repeating the call changes nothing.',
  policy: { equals: ['task.link'] },
  args: z.strictObject({ taskId: Ulid, dependsOnTaskId: Ulid }),
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
