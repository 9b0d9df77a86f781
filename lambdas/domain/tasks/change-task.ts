import { Unavailable } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { TaskConcurrencyReached, TaskNotFound, TaskNotInState } from './errors.js';
import { Task, taskKey, taskOrder } from './task.js';
import { countMove } from './task-counts.js';
import { type Actor, moveEvent } from './task-event.js';
import { canMove, type ExecutionStep, isLater, type TaskStatus } from './task-status.js';
import { type GuardedWrite, tryWrites } from './try-writes.js';

/** What is `undefined` stays as it is. */
export type TaskFields = { readonly [Name in keyof Task]?: Task[Name] | undefined };

export interface TaskChange {
  /** As it was read; what has happened to it since is met and looked at again. */
  readonly task: Task;
  readonly set: TaskFields;
  /** @throws what makes the change pointless, of the task as it stands */
  readonly guard?: (task: Task) => void;
  /** Written with it or not at all. */
  readonly also?: readonly GuardedWrite[];
  readonly now: Date;
}

export interface TaskMove extends Omit<TaskChange, 'set'> {
  readonly set?: TaskFields;
  readonly to: TaskStatus;
  readonly actor: Actor;
  readonly reason?: string | undefined;
  /** How many tasks of the project may be at work at once; only for a move that begins an execution. */
  readonly maxActive?: number;
}

export interface TaskOutcome {
  /** False: it was so already. */
  readonly changed: boolean;
  readonly task: Task;
}

/** Each meets another change of the same task that came between. */
const attempts = 5;

/** Changes what a task holds, beside its status. One table call, or a few more while others change it. */
export async function changeTask(table: Table, change: TaskChange): Promise<TaskOutcome> {
  return writeTask(table, change.task, (task) => {
    change.guard?.(task);
    return { changed: changed(task, change), also: change.also ?? [] };
  });
}

/** How far the execution has come. What is behind it already changes nothing. */
export async function advanceTask(
  table: Table,
  { step, ...change }: Omit<TaskChange, 'set'> & { readonly step: ExecutionStep; readonly set?: TaskFields },
): Promise<TaskOutcome> {
  return writeTask(table, change.task, (task) => {
    change.guard?.(task);
    if (!isLater(step, task.executionStep)) return undefined;
    const set = { ...change.set, executionStep: step };
    return { changed: changed(task, { set, now: change.now }), also: change.also ?? [] };
  });
}

/**
 * The one way a task changes its status, with the event that tells of it. To where it is already, it moves without a
 * trace.
 *
 * @throws {TaskNotFound | TaskNotInState | TaskConcurrencyReached}
 */
export async function moveTask(table: Table, move: TaskMove): Promise<TaskOutcome> {
  const { to, actor, reason = null, maxActive = 0, now } = move;
  return writeTask(table, move.task, (task) => {
    move.guard?.(task);
    if (task.status === to) return undefined;
    if (!canMove(task.status, to)) throw new TaskNotInState(task.status, `it cannot become ${to}`);
    const event = moveEvent(task, { fromStatus: task.status, toStatus: to, ...actor, reason }, now);
    const count = countMove(task, to, maxActive);
    return {
      changed: changed(task, { set: { ...move.set, status: to }, now }),
      also: [
        { write: { put: event, when: { exists: false } } },
        ...(count
          ? [{ write: { update: count }, refused: () => new TaskConcurrencyReached(maxActive) }]
          : []),
        ...(move.also ?? []),
      ],
    };
  });
}

function changed(task: Task, { set, now }: Pick<TaskChange, 'set' | 'now'>): Task {
  const said = Object.entries(set).filter(([, value]) => value !== undefined);
  return Task.parse({
    ...task,
    ...Object.fromEntries(said),
    version: task.version + 1,
    updatedAt: now.toISOString(),
  });
}

interface Rewrite {
  readonly changed: Task;
  readonly also: readonly GuardedWrite[];
}

/** Compare and set on the version that was read; whoever came between is met, and the change thought over. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: guards in the order of the decision, each with its own outcome
async function writeTask(
  table: Table,
  seen: Task,
  rewrite: (task: Task) => Rewrite | undefined,
): Promise<TaskOutcome> {
  let task = seen;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const wanted = rewrite(task);
    if (!wanted) return { changed: false, task };
    const refusal = await tryWrites(table, [
      { write: { update: replace(task, wanted.changed) } },
      ...wanted.also,
    ]);
    if (!refusal) return { changed: true, task: wanted.changed };
    if (refusal.at > 0) throw refusal.error;
    if (!refusal.item) throw new TaskNotFound();
    task = Task.parse(refusal.item);
  }
  throw new Unavailable('The task was changed at the same moment; try again');
}

function replace(before: Task, after: Task) {
  const differing = Object.entries(after).filter(([name, value]) => value !== before[name as keyof Task]);
  return {
    key: taskKey(before.projectId, before.taskId),
    set: { ...Object.fromEntries(differing), ...taskOrder(after) },
    when: { equals: { version: before.version } },
  };
}
