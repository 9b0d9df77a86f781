import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { TaskNotInState } from './errors.js';
import { needsEnd } from './finish-task.js';
import { type Task, taskKey } from './task.js';
import { uncountTask } from './task-counts.js';
import { edgesAt, graphChange, type TaskGraph } from './task-graph.js';
import { isActive } from './task-status.js';

/**
 * Deletes a task that nothing works on; what waited for it waits for it no more. Its events and its chat stay. One table
 * call.
 *
 * @throws {TaskNotInState} it is at work
 */
export async function deleteTask(table: Table, task: Task, graph: TaskGraph): Promise<void> {
  const { projectId, taskId, status, version } = task;
  if (isActive(status)) throw new TaskNotInState(status, 'cancel it first');
  if (needsEnd(task))
    throw new TaskNotInState(status, 'but what it built is still being put away; try again');
  const edges = edgesAt(graph, taskId);
  const outcome = await transact(table, [
    { delete: taskKey(projectId, taskId), when: { equals: { version } } },
    { update: uncountTask(projectId) },
    // In any case, so that nobody makes a task wait for it meanwhile.
    { update: graphChange(projectId, graph, edges.size > 0 ? { takeOut: { edges } } : {}) },
  ]);
  if (!outcome.committed) throw new Unavailable('The task was changed at the same moment; try again');
}
