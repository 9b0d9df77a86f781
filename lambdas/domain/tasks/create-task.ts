import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import type { CreationKey } from '../workspaces/creation.js';
import { IdempotencyKeyReused } from '../workspaces/errors.js';
import { TaskLimitReached } from './errors.js';
import { Submission, submissionItem } from './submission.js';
import { type Task, taskItem } from './task.js';
import { countTask } from './task-counts.js';
import { type Actor, firstEvent } from './task-event.js';

export interface Creation {
  readonly actor: Actor;
  readonly key?: CreationKey;
}

export interface Created {
  readonly taskId: string;
  /** False: an earlier call under the same key has made it. */
  readonly isNew: boolean;
}

/**
 * Writes a new task with the event that it came to be, under a key once. One table call.
 *
 * @throws {TaskLimitReached | IdempotencyKeyReused}
 */
export async function createTask(table: Table, task: Task, { actor, key }: Creation): Promise<Created> {
  const outcome = await transact(table, [
    { put: taskItem(task), when: { exists: false } },
    { put: firstEvent(task, actor), when: { exists: false } },
    { update: countTask(task.projectId) },
    ...(key ? [{ put: submissionItem(key, task, ''), when: { exists: false } }] : []),
  ]);
  if (outcome.committed) return { taskId: task.taskId, isNew: true };
  const earlier = outcome.refusals[3]?.item;
  if (key && earlier) {
    const { requestHash, taskId } = Submission.parse(earlier);
    if (requestHash !== key.requestHash) throw new IdempotencyKeyReused();
    return { taskId, isNew: false };
  }
  if (outcome.refusals[2]?.failed) throw new TaskLimitReached();
  throw new Error(`The id ${task.taskId} is taken`);
}
