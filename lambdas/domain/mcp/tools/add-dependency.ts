import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { getItems } from '../../records/get-items.js';
import { addDependency as add } from '../../tasks/change-dependencies.js';
import { TaskNotFound, TaskNotInState } from '../../tasks/errors.js';
import { Task, taskKey } from '../../tasks/task.js';
import { readGraph, taskGraphKey } from '../../tasks/task-graph.js';
import { isWaiting } from '../../tasks/task-status.js';
import { tool } from '../tool.js';

export const addDependency = tool({
  name: 'add_dependency',
  description:
    'Make a task of the project that nobody works on yet, such as an idea, wait for another one: it cannot be run before that is completed. A task that was dispatched has begun and waits for nothing; dispatch it when its time has come instead.',
  policy: { equals: ['task.link'] },
  args: z.strictObject({ taskId: Ulid, dependsOnTaskId: Ulid }),
  handle: async ({ taskId, dependsOnTaskId }, { caller: { project }, table }) => {
    const { projectId } = project;
    const keys = { task: taskKey(projectId, taskId), graph: taskGraphKey(projectId) };
    const find = await getItems(table, Object.values(keys));
    const found = find(keys.task);
    if (!found) throw new TaskNotFound();
    const task = Task.parse(found);
    if (!isWaiting(task.status)) throw new TaskNotInState(task.status, 'it waits for nothing any more');
    await add(table, { task, dependsOn: dependsOnTaskId, graph: readGraph(find(keys.graph)) });
    return { taskId, dependsOnTaskId, added: true };
  },
});
