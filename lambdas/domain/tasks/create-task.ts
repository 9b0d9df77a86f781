import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { TaskLimitReached } from './errors.js';
import { type Task, taskItem } from './task.js';
import { countTask } from './task-counts.js';
import { type Actor, firstEvent } from './task-event.js';

/**
 * Writes a new task with the event that it came to be. One table call.
 *
 * @throws {TaskLimitReached}
 */
export async function createTask(table: Table, task: Task, actor: Actor): Promise<void> {
  const outcome = await transact(table, [
    { put: taskItem(task), when: { exists: false } },
    { put: firstEvent(task, actor), when: { exists: false } },
    { update: countTask(task.projectId) },
  ]);
  if (outcome.committed) return;
  if (outcome.refusals[2]?.failed) throw new TaskLimitReached();
  throw new Error(`The id ${task.taskId} is taken`);
}
