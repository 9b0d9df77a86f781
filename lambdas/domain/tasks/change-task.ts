import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import type { Change } from '../records/changes.js';
import { type FieldChanges, recordAfter, recordChange } from '../records/record-change.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { TaskNotFound, TaskNotInState, taskConcurrencyReached } from './errors.js';
import { Task, taskKey, taskOrder } from './task.js';
import { type Actor, moveEvent } from './task-events.js';
import { countMove } from './task-limits.js';
import { canMove, type ExecutionStep, isLater, type TaskStatus } from './task-status.js';

export type TaskFields = FieldChanges<Omit<Task, 'version' | 'updatedAt'>>;

interface TaskChange {
  /** As it was read. A concurrent change makes the write repeat with the present task. */
  readonly task: Task;
  readonly set: TaskFields;
  /** @throws when the present task makes the change pointless */
  readonly guard?: (task: Task) => void;
  /** Written in the same transaction. */
  readonly also?: readonly GuardedWrite[];
  readonly now: Date;
}

export interface TaskMove extends Omit<TaskChange, 'set'> {
  readonly set?: TaskFields;
  readonly to: TaskStatus;
  readonly actor: Actor;
  readonly reason?: string | undefined;
  /** Limit of active tasks of the project; only for a move that starts an execution. */
  readonly maxActive?: number;
}

export interface TaskOutcome {
  /** False: the task had this state already. */
  readonly changed: boolean;
  readonly task: Task;
}

const retries = { attempts: 5, message: 'The task changed at the same time. Try again.' };

/**
 * Changes fields of a task other than its status. One table call, and one more for each concurrent
 * change.
 */
export async function changeTask(table: Table, change: TaskChange): Promise<TaskOutcome> {
  return writeTask(table, change.task, (task) => {
    change.guard?.(task);
    return { set: change.set, also: change.also ?? [], now: change.now };
  });
}

/** Moves the execution step forward. An earlier or equal step changes nothing. */
export async function advanceTask(
  table: Table,
  { step, ...change }: Omit<TaskChange, 'set'> & { readonly step: ExecutionStep; readonly set?: TaskFields },
): Promise<TaskOutcome> {
  return writeTask(table, change.task, (task) => {
    change.guard?.(task);
    if (!isLater(step, task.executionStep)) return undefined;
    return { set: { ...change.set, executionStep: step }, also: change.also ?? [], now: change.now };
  });
}

/**
 * The only way to change the status of a task; it writes an event too. A move to the present status
 * writes nothing.
 *
 * @throws {TaskNotFound | TaskNotInState | taskConcurrencyReached}
 */
export async function moveTask(table: Table, move: TaskMove): Promise<TaskOutcome> {
  const { to, actor, reason = null, maxActive = 0, now } = move;
  return writeTask(table, move.task, (task) => {
    move.guard?.(task);
    if (task.status === to) return undefined;
    if (!canMove(task.status, to)) throw new TaskNotInState(task.status, `It cannot become ${to}.`);
    const event = moveEvent(task, { fromStatus: task.status, toStatus: to, ...actor, reason }, now);
    const count = countMove(task, to, maxActive);
    return {
      set: { ...move.set, status: to },
      also: [
        { write: { put: event, when: { exists: false } } },
        ...(count ? [{ write: { update: count }, refused: () => taskConcurrencyReached(maxActive) }] : []),
        ...(move.also ?? []),
      ],
      now,
    };
  });
}

/**
 * A move of just this version between two active states, as writes of a larger transaction: the
 * task and its event.
 */
export function activeMove(
  task: Task,
  { to, set, actor, now }: Pick<TaskMove, 'to' | 'set' | 'actor' | 'now'>,
): readonly Write[] {
  const change = { set: { ...set, status: to }, now };
  const after = taskAfter(task, change);
  const event = moveEvent(task, { fromStatus: task.status, toStatus: to, ...actor, reason: null }, now);
  return [{ update: taskChange(task, after, change) }, { put: event, when: { exists: false } }];
}

/** A change of fields of just this version, as a write of a larger transaction. */
export function fieldsChange(task: Task, set: TaskFields, now: Date): Write {
  const change = { set, now };
  return { update: taskChange(task, taskAfter(task, change), change) };
}

const taskAfter = (task: Task, change: Pick<TaskChange, 'set' | 'now'>): Task =>
  Task.parse(recordAfter<Task>(task, change));

type Rewrite = Pick<TaskChange, 'set' | 'now'> & { readonly also: readonly GuardedWrite[] };

/**
 * Compare-and-set on the version that was read; a concurrent change repeats `rewrite` with the
 * present task.
 */
async function writeTask(
  table: Table,
  seen: Task,
  rewrite: (task: Task) => Rewrite | undefined,
): Promise<TaskOutcome> {
  return retryOnConflict<Task, TaskOutcome>(seen, retries, async (task) => {
    const wanted = rewrite(task);
    if (!wanted) return { result: { changed: false, task } };
    const after = Task.parse(recordAfter<Task>(task, wanted));
    const refusal = await transactGuarded(table, [
      { write: { update: taskChange(task, after, wanted) } },
      ...wanted.also,
    ]);
    if (!refusal) return { result: { changed: true, task: after } };
    if (refusal.at > 0) throw refusal.error;
    if (!refusal.item) throw new TaskNotFound();
    return { met: Task.parse(refusal.item) };
  });
}

/** A change of just this version, which also moves the task in the orders of its project. */
function taskChange(before: Task, after: Task, { set, now }: Pick<TaskChange, 'set' | 'now'>): Change {
  const { projectId, taskId, version } = before;
  const when = { equals: { version } };
  return recordChange<Task>(taskKey(projectId, taskId), { set, index: taskOrder(after), when, now });
}

/** A write of a transaction, and the error when its condition does not hold. */
export interface GuardedWrite {
  readonly write: Write;
  readonly refused?: (item: Item | undefined) => Error;
}

/** The first write whose condition did not hold. */
interface FirstRefusal {
  readonly at: number;
  readonly item: Item | undefined;
  readonly error: Error;
}

/**
 * All writes or none. Returns the first refusal, or undefined when the writes were made. One table
 * call.
 */
export async function transactGuarded(
  table: Table,
  writes: readonly GuardedWrite[],
): Promise<FirstRefusal | undefined> {
  const outcome = await transact(
    table,
    writes.map(({ write }) => write),
  );
  if (outcome.committed) return undefined;
  const at = outcome.refusals.findIndex(({ failed }) => failed);
  const item = outcome.refusals[at]?.item;
  return { at, item, error: writes[at]?.refused?.(item) ?? new Error('The record exists already') };
}
