import * as z from 'zod/mini';
import type { Item } from '../records/batch-items.js';
import type { CreationKey } from '../workspaces/creation.js';
import { IdempotencyKeyReused } from '../workspaces/errors.js';
import type { Task } from './task.js';

/** How long a repeat with the same Idempotency-Key is recognised. */
const rememberedSeconds = 24 * 60 * 60;

/** What a submission under an Idempotency-Key has made. */
export const Submission = z.object({ requestHash: z.string(), taskId: z.string(), branchName: z.string() });
export type Submission = z.infer<typeof Submission>;

/**
 * What was made under this key before.
 *
 * @throws {IdempotencyKeyReused} for something else
 */
export function earlierSubmission({ requestHash }: CreationKey, item: Item): Submission {
  const earlier = Submission.parse(item);
  if (earlier.requestHash !== requestHash) throw new IdempotencyKeyReused();
  return earlier;
}

/** Keys are a person's own: nobody learns of another's task by guessing one. */
export const submissionKey = ({ projectId, userId }: Pick<Task, 'projectId' | 'userId'>, key: string) => ({
  pk: `PROJECT#${projectId}`,
  sk: `TASKSUBMISSION#${userId}#${key}`,
});

export const submissionItem = ({ key, requestHash }: CreationKey, task: Task, branchName: string) => ({
  ...submissionKey(task, key),
  entity: 'task-submission',
  schemaVersion: 1,
  requestHash,
  taskId: task.taskId,
  branchName,
  expiresAt: Math.floor(Date.parse(task.createdAt) / 1000) + rememberedSeconds,
});
