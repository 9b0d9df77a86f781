import * as z from 'zod/mini';
import type { Item } from '../records/batch-items.js';
import type { Task } from '../tasks/task.js';
import { keyExpiry, type RequestKey, requireSameRequest } from './request-key.js';

/** The task that a submission with an Idempotency-Key created. */
export const Submission = z.object({ requestHash: z.string(), taskId: z.string(), branchName: z.string() });
export type Submission = z.infer<typeof Submission>;

/** @throws `idempotencyKeyReused`: the key was used with another submission */
export function earlierSubmission(key: RequestKey, item: Item): Submission {
  const earlier = Submission.parse(item);
  requireSameRequest(key, earlier);
  return earlier;
}

/** Each person has keys of their own: nobody learns of another person's task by guessing a key. */
export const submissionKey = ({ projectId, userId }: Pick<Task, 'projectId' | 'userId'>, key: string) => ({
  pk: `PROJECT#${projectId}`,
  sk: `TASKSUBMISSION#${userId}#${key}`,
});

export const submissionItem = ({ key, requestHash }: RequestKey, task: Task, branchName: string) => ({
  ...submissionKey(task, key),
  entity: 'task-submission',
  schemaVersion: 1,
  requestHash,
  taskId: task.taskId,
  branchName,
  expiresAt: keyExpiry(task.createdAt),
});
