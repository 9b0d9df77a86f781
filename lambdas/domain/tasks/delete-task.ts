import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { deletedTaskItem } from './deleted-tasks.js';
import { TaskNotInState } from './errors.js';
import { needsEnd } from './finish-task.js';
import { type Task, taskKey } from './task.js';
import { edgesAt, graphChange, type TaskGraph } from './task-dependencies.js';
import { uncountDraftWrites, uncountTask } from './task-limits.js';
import { isActive } from './task-status.js';

/** @throws {TaskNotInState} it is at work */
export function requireDeletable(task: Task): void {
  const { status } = task;
  if (isActive(status)) throw new TaskNotInState(status, 'Cancel it first.');
  if (needsEnd(task))
    throw new TaskNotInState(status, 'Its execution is still being cleaned up. Try again in a minute.');
}

/**
 * Deletes a task that is not active, and its dependencies. Its events and its chat are kept for 30
 * days. One table call.
 *
 * @throws {TaskNotInState} it is at work
 */
export async function deleteTask(
  table: Table,
  task: Task,
  { graph, now }: { readonly graph: TaskGraph; readonly now: Date },
): Promise<void> {
  requireDeletable(task);
  const { projectId, taskId, version } = task;
  const edges = edgesAt(graph, taskId);
  const outcome = await transact(table, [
    { delete: taskKey(projectId, taskId), when: { equals: { version } } },
    { update: uncountTask(projectId) },
    ...uncountDraftWrites(task),
    { put: deletedTaskItem(taskId, now), when: {} },
    // Always written, so that no dependency on the task is added at the same time.
    { update: graphChange(projectId, graph, edges.size > 0 ? { takeOut: { edges } } : {}) },
  ]);
  if (!outcome.committed) throw new Unavailable('The task changed at the same time. Try again.');
}
