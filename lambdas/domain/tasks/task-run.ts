import type { Table } from '../../shared/table.js';
import { TaskEnded, TaskNotFound } from './errors.js';
import { findTask } from './find-task.js';
import type { Task } from './task.js';
import { isActive } from './task-status.js';

/** One execution of a task, as its saga names it. */
export interface TaskRun {
  readonly projectId: string;
  readonly taskId: string;
  readonly run: number;
}

/** @throws {TaskEnded} the execution is over: cancelled, failed or followed by another */
export function requireRun(task: Task, { run }: Pick<TaskRun, 'run'>): void {
  if (task.run !== run || !isActive(task.status)) throw new TaskEnded();
}

/**
 * The task of an execution that is under way. One table call.
 *
 * @throws {TaskNotFound | TaskEnded}
 */
export async function loadRun(table: Table, run: TaskRun): Promise<Task> {
  const task = await findTask(table, run.projectId, run.taskId);
  if (!task) throw new TaskNotFound();
  requireRun(task, run);
  return task;
}
