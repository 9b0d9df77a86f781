import { isOver, type TaskStatus } from '../tasks/task-status.js';
import type { TaskWait } from './task-wait.js';

/** Of each task that is waited for, in order; null of one that was deleted, which will not end any more. */
export type Statuses = readonly (TaskStatus | null)[];

/** How a wait ends now; undefined while it goes on. */
export function decideWait(
  { condition, wakeDeadline }: Pick<TaskWait, 'condition' | 'wakeDeadline'>,
  statuses: Statuses,
  now: Date,
): NonNullable<TaskWait['resolution']> | undefined {
  const hasEnded = (status: TaskStatus | null) => status === null || isOver(status);
  const isMet = condition === 'all' ? statuses.every(hasEnded) : statuses.some(hasEnded);
  if (isMet) return 'condition_met';
  return now.getTime() >= Date.parse(wakeDeadline) ? 'deadline_reached' : undefined;
}
