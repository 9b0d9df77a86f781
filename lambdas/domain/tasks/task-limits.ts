import * as z from 'zod/mini';
import type { projectLimits } from '../projects/project.js';
import type { Change } from '../records/changes.js';
import type { Write } from '../records/transact.js';
import type { GuardedWrite } from './change-task.js';
import { subTaskCountReached, subTaskDepthReached } from './errors.js';
import { type Task, taskKey } from './task.js';
import { isActive, type TaskStatus } from './task-status.js';

/** Limit of tasks of a project, in any state. */
export const maxTasksPerProject = 10_000;

/** The counts of a project, changed in the transactions that create, move and delete its tasks. */
const TaskCounts = z.object({ taskCount: z.int() });

export const taskCountsKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'TASKCOUNTS' });

/** Limit of tasks of a person, in all projects, that were never run. */
export const maxDraftsPerPerson = 1_000;

export const draftCountKey = (userId: string) => ({ pk: `USER#${userId}`, sk: 'DRAFTCOUNT' });

const draftCountChange = (userId: string): Pick<Change, 'key' | 'set'> => ({
  key: draftCountKey(userId),
  set: { entity: 'draft-count', schemaVersion: 1 },
});

/** Counts a task of a person that was never run, within the limit. */
export const countDraft = (userId: string): Change => ({
  ...draftCountChange(userId),
  add: { draftCount: 1 },
  when: { absentOrBefore: { draftCount: maxDraftsPerPerson } },
});

/** With the first run of a task, or the deletion of one that was never run; else no write. */
export const uncountDraftWrites = ({ userId, run }: Pick<Task, 'userId' | 'run'>): readonly Write[] =>
  run > 0 ? [] : [{ update: { ...draftCountChange(userId), add: { draftCount: -1 }, when: {} } }];

const countsChange = (projectId: string): Pick<Change, 'key' | 'set'> => ({
  key: taskCountsKey(projectId),
  set: { entity: 'task-counts', schemaVersion: 1, projectId },
});

export const countTask = (projectId: string): Change => ({
  ...countsChange(projectId),
  add: { taskCount: 1 },
  when: { absentOrBefore: { taskCount: maxTasksPerProject } },
});

/** Counts a task that is active from its creation. */
export const countSubmitted = (projectId: string, taskId: string, maxActive: number): Change => ({
  ...countsChange(projectId),
  add: { taskCount: 1, activeTaskIds: new Set([taskId]) },
  when: {
    absentOrBefore: { taskCount: maxTasksPerProject },
    fewerThan: { activeTaskIds: maxActive },
  },
});

/**
 * Whether the project has reached its limit of tasks; otherwise it has reached that of active
 * tasks.
 */
export const isFull = (counts: Readonly<Record<string, unknown>> | undefined): boolean =>
  counts !== undefined && TaskCounts.parse(counts).taskCount >= maxTasksPerProject;

export const uncountTask = (projectId: string): Change => ({
  ...countsChange(projectId),
  add: { taskCount: -1 },
  when: {},
});

/** The change of the active tasks by a move; undefined when the move does not change them. */
export function countMove(
  { projectId, taskId, status }: Pick<Task, 'projectId' | 'taskId' | 'status'>,
  to: TaskStatus,
  maxActive: number,
): Change | undefined {
  if (isActive(status) === isActive(to)) return undefined;
  const ids = new Set([taskId]);
  return isActive(to)
    ? {
        ...countsChange(projectId),
        add: { activeTaskIds: ids },
        when: { fewerThan: { activeTaskIds: maxActive } },
      }
    : { ...countsChange(projectId), takeOut: { activeTaskIds: ids }, when: {} };
}

type Limits = ReturnType<typeof projectLimits>;

/**
 * The depth of a subtask of this task.
 *
 * @throws {SUB_TASK_LIMIT_REACHED} more than the project allows
 */
export function subtaskDepth(parent: Task | undefined, { maxDispatchDepth }: Limits): number {
  const depth = parent ? parent.dispatchDepth + 1 : 0;
  if (depth > maxDispatchDepth) throw subTaskDepthReached(maxDispatchDepth);
  return depth;
}

/** Counts a subtask of its parent within the limit; no write for a task without a parent. */
export function subtaskCountWrites(
  { projectId, parentTaskId }: Pick<Task, 'projectId' | 'parentTaskId'>,
  { maxSubTasksPerTask }: Limits,
): readonly GuardedWrite[] {
  if (parentTaskId === null) return [];
  const update = {
    key: taskKey(projectId, parentTaskId),
    add: { subTaskCount: 1 },
    when: { exists: true, absentOrBefore: { subTaskCount: maxSubTasksPerTask } },
  };
  return [{ write: { update }, refused: () => subTaskCountReached(maxSubTasksPerTask) }];
}
