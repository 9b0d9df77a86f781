import type { Table } from '../../shared/table.js';
import type { RequestKey } from '../idempotency/request-key.js';
import { earlierSubmission, submissionItem } from '../idempotency/task-submission.js';
import { type Project, projectLimits } from '../projects/project.js';
import { transactGuarded } from './change-task.js';
import { draftLimitReached, taskLimitReached } from './errors.js';
import { type Task, taskItem } from './task.js';
import { type Actor, firstEvent } from './task-events.js';
import { countDraft, countTask, subtaskCountWrites } from './task-limits.js';

interface Creation {
  readonly project: Project;
  readonly actor: Actor;
  readonly key?: RequestKey;
}

interface Created {
  readonly taskId: string;
  /** False: an earlier call with the same key has created it. */
  readonly isNew: boolean;
}

/**
 * Writes a new draft with its first event, once for each key. One table call.
 *
 * @throws {taskLimitReached | draftLimitReached | SUB_TASK_LIMIT_REACHED | idempotencyKeyReused}
 */
export async function createTask(
  table: Table,
  task: Task,
  { project, actor, key }: Creation,
): Promise<Created> {
  const refusal = await transactGuarded(table, [
    ...(key ? [{ write: { put: submissionItem(key, task, ''), when: { exists: false } } }] : []),
    { write: { put: taskItem(task), when: { exists: false } } },
    { write: { put: firstEvent(task, actor), when: { exists: false } } },
    { write: { update: countTask(task.projectId) }, refused: taskLimitReached },
    { write: { update: countDraft(task.userId) }, refused: draftLimitReached },
    ...subtaskCountWrites(task, projectLimits(project)),
  ]);
  if (!refusal) return { taskId: task.taskId, isNew: true };
  if (key && refusal.at === 0 && refusal.item)
    return { taskId: earlierSubmission(key, refusal.item).taskId, isNew: false };
  throw refusal.error;
}
