import type { projectLimits } from '../projects/project.js';
import { SubTaskLimitReached } from './errors.js';
import { type Task, taskKey } from './task.js';
import type { GuardedWrite } from './try-writes.js';

type Limits = ReturnType<typeof projectLimits>;

/**
 * How many tasks are above one that is made below this one.
 *
 * @throws {SubTaskLimitReached} more than the project allows
 */
export function depthBelow(parent: Task | undefined, { maxDispatchDepth }: Limits): number {
  const depth = parent ? parent.dispatchDepth + 1 : 0;
  if (depth > maxDispatchDepth) throw new SubTaskLimitReached('deep', maxDispatchDepth);
  return depth;
}

/** What the parent's count of the tasks below it says to one more; nothing for a task that is below none. */
export function countBelow(
  { projectId, parentTaskId }: Pick<Task, 'projectId' | 'parentTaskId'>,
  { maxSubTasksPerTask }: Limits,
): readonly GuardedWrite[] {
  if (parentTaskId === null) return [];
  const update = {
    key: taskKey(projectId, parentTaskId),
    add: { subTaskCount: 1 },
    when: { exists: true, absentOrBefore: { subTaskCount: maxSubTasksPerTask } },
  };
  return [{ write: { update }, refused: () => new SubTaskLimitReached('many', maxSubTasksPerTask) }];
}
