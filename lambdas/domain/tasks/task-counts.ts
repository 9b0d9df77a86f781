import * as z from 'zod/mini';
import type { Change } from '../records/changes.js';
import type { Task } from './task.js';
import { isActive, type TaskStatus } from './task-status.js';

/** The most tasks that a project may hold, in whatever state. */
export const maxTasksPerProject = 10_000;

/** What a project's limits are counted by: kept in the transactions that make, move and delete its tasks. */
const TaskCounts = z.object({ taskCount: z.int() });

export const taskCountsKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'TASKCOUNTS' });

const countsChange = (projectId: string): Pick<Change, 'key' | 'set'> => ({
  key: taskCountsKey(projectId),
  set: { entity: 'task-counts', schemaVersion: 1, projectId },
});

export const countTask = (projectId: string): Change => ({
  ...countsChange(projectId),
  add: { taskCount: 1 },
  when: { absentOrBefore: { taskCount: maxTasksPerProject } },
});

/** A task that is at work as soon as it is made. */
export const countSubmitted = (projectId: string, taskId: string, maxActive: number): Change => ({
  ...countsChange(projectId),
  add: { taskCount: 1, activeTaskIds: new Set([taskId]) },
  when: {
    absentOrBefore: { taskCount: maxTasksPerProject },
    fewerThan: { activeTaskIds: maxActive },
  },
});

/** Whether it was the number of tasks that a submission was refused for, or that of those at work. */
export const isFull = (counts: Readonly<Record<string, unknown>> | undefined): boolean =>
  counts !== undefined && TaskCounts.parse(counts).taskCount >= maxTasksPerProject;

export const uncountTask = (projectId: string): Change => ({
  ...countsChange(projectId),
  add: { taskCount: -1 },
  when: {},
});

/** The change of the active tasks that a move makes; none if it begins and ends on the same side. */
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
