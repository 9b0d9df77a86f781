import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { taskStatuses } from '../tasks/task-status.js';

export const maxWaitSeconds = 24 * 60 * 60;
export const maxActiveWaits = 100;
/** How long a repeat with the same key is recognised after the deadline. */
const rememberedSeconds = 7 * 24 * 60 * 60;

export const WaitKey = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/));
export const waitConditions = ['all', 'any'] as const;

/** An agent that has ended its turn until tasks are over. docs/mcp.md has its states. */
export const TaskWait = z.object({
  /** Also the id of the delivery that wakes the agent: there is only one of it, however often it is begun. */
  waitId: Ulid,
  /** The agent's own name for it, one in its chat. */
  waitKey: WaitKey,
  chatId: Ulid,
  projectId: Ulid,
  taskIds: z.array(Ulid),
  condition: z.enum(waitConditions),
  wakeAfterSeconds: z.int(),
  wakeDeadline: z.iso.datetime(),
  state: z.enum(['active', 'resolved', 'cancelled']),
  resolution: z.nullable(z.enum(['condition_met', 'deadline_reached'])),
  /** How the tasks stood when it was resolved, in the order of `taskIds`; what was deleted has none. */
  statuses: z.nullable(z.array(z.nullable(z.enum(taskStatuses)))),
  createdAt: z.iso.datetime(),
});
export type TaskWait = z.infer<typeof TaskWait>;

/** Which wait of which chat. */
export type WaitRef = Pick<TaskWait, 'chatId' | 'waitKey'>;

const prefix = 'TASKWAIT#';

export const waitRecordKey = ({ chatId, waitKey }: WaitRef) => ({
  pk: `CHAT#${chatId}`,
  sk: `${prefix}${waitKey}`,
});

/** The partition of the index `byParent` with all that still have somebody to wake. */
export const openWaits = 'TASKWAITS';

/** Sorts by when it has to be looked at. */
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

/** Lies with a task while somebody waits for it. */
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

/** The waits of a project that have somebody to wake: what their number is bounded by. */
export const waitCountKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'TASKWAITS' });

const expiryOf = ({ wakeDeadline }: TaskWait): number =>
  Math.floor(Date.parse(wakeDeadline) / 1000) + rememberedSeconds;
