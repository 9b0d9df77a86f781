import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { taskStatuses } from '../tasks/task-status.js';

export const maxWaitSeconds = 24 * 60 * 60;
export const maxActiveWaits = 100;

/** How long after the deadline a repeat with the same key is recognized. */
const rememberedSeconds = 7 * 24 * 60 * 60;

export const WaitKey = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/));
export const waitConditions = ['all', 'any'] as const;

/** An agent's wait for the end of tasks. docs/mcp.md has its states. */
export const TaskWait = z.object({
  /** Also the id of the prompt that wakes the agent up, so that a repeat queues it once. */
  waitId: Ulid,
  /** Chosen by the agent; unique in its chat. */
  waitKey: WaitKey,
  chatId: Ulid,
  projectId: Ulid,
  taskIds: z.array(Ulid),
  condition: z.enum(waitConditions),
  wakeAfterSeconds: z.int(),
  wakeDeadline: z.iso.datetime(),
  state: z.enum(['active', 'resolved', 'cancelled']),
  resolution: z.nullable(z.enum(['condition_met', 'deadline_reached'])),
  /** Statuses at the time of the resolution, in the order of `taskIds`; null for a deleted task. */
  statuses: z.nullable(z.array(z.nullable(z.enum(taskStatuses)))),
  createdAt: z.iso.datetime(),
});

export type TaskWait = z.infer<typeof TaskWait>;

/** Identifies a wait. */
export type WaitRef = Pick<TaskWait, 'chatId' | 'waitKey'>;

const prefix = 'TASKWAIT#';

export const waitRecordKey = ({ chatId, waitKey }: WaitRef) => ({
  pk: `CHAT#${chatId}`,
  sk: `${prefix}${waitKey}`,
});

/** The partition of the index `byParent` with all open waits. */
export const openWaits = 'TASKWAITS';

/** Sorts by the time of the next check. */
export const dueSk = (dueAt: Date, waitId: string): string => `${dueAt.toISOString()}#${waitId}`;

export const waitItem = (wait: TaskWait, dueAt: Date) => ({
  ...waitRecordKey(wait),
  entity: 'task-wait',
  schemaVersion: 1,
  parentPk: openWaits,
  parentSk: dueSk(dueAt, wait.waitId),
  expiresAt: expiryOf(wait),
  ...wait,
});

/** An item of a task, one for each open wait. */
export const waiterKey = (taskId: string, { waitId }: Pick<TaskWait, 'waitId'>) => ({
  pk: `TASK#${taskId}`,
  sk: `${prefix}${waitId}`,
});

export const waitersOf = (taskId: string) => ({ pk: `TASK#${taskId}`, prefix });

export const waiterItem = (taskId: string, wait: TaskWait) => ({
  ...waiterKey(taskId, wait),
  entity: 'task-waiter',
  schemaVersion: 1,
  chatId: wait.chatId,
  waitKey: wait.waitKey,
  expiresAt: expiryOf(wait),
});

/** The open waits of a project, for the limit of their number. */
export const waitCountKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'TASKWAITS' });

const expiryOf = ({ wakeDeadline }: TaskWait): number =>
  Math.floor(Date.parse(wakeDeadline) / 1000) + rememberedSeconds;

/** A wait is checked this often, as a wake-up can be lost. */
const lookEveryMs = 5 * 60000;

export const nextCheckAt = ({ wakeDeadline }: Pick<TaskWait, 'wakeDeadline'>, now: Date): Date =>
  new Date(Math.min(Date.parse(wakeDeadline), now.getTime() + lookEveryMs));
