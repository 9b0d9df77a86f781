import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { getItems, type Item } from '../records/batch-items.js';
import { transact } from '../records/transact.js';
import { taskKey } from '../tasks/task.js';
import { waitKeyReused, waitLimitReached } from './errors.js';
import {
  maxActiveWaits,
  nextCheckAt,
  TaskWait,
  waitCountKey,
  waiterItem,
  waitItem,
  waitRecordKey,
} from './task-wait.js';

type WaitDraft = Pick<
  TaskWait,
  'waitId' | 'waitKey' | 'chatId' | 'projectId' | 'taskIds' | 'condition' | 'wakeAfterSeconds'
>;

/**
 * Writes a wait, with an item beside each of its tasks. A repeat returns the first wait. The stream
 * consumer checks every new wait: its tasks may have ended already. Two table calls.
 *
 * @throws {NotFound} a task is none of the project's
 * @throws {waitKeyReused | waitLimitReached}
 */
export async function registerWait(
  table: Table,
  draft: WaitDraft,
  now: Date,
): Promise<{ readonly created: boolean; readonly wait: TaskWait }> {
  const tasks = draft.taskIds.map((taskId) => taskKey(draft.projectId, taskId));
  const find = await getItems(table, [waitRecordKey(draft), ...tasks]);
  const earlier = find(waitRecordKey(draft));
  if (earlier) return { created: false, wait: sameWait(draft, earlier) };
  const unknown = draft.taskIds.filter((_, index) => !tasks[index] || !find(tasks[index]));
  if (unknown.length > 0) throw new NotFound(`Task ${unknown.join(', ')}`);

  const wait: TaskWait = {
    ...draft,
    wakeDeadline: new Date(now.getTime() + draft.wakeAfterSeconds * 1_000).toISOString(),
    ...{ state: 'active', resolution: null, statuses: null, createdAt: now.toISOString() },
  };
  const { committed, met, isFull } = await write(table, wait, now);
  if (committed) return { created: true, wait };
  if (met) return { created: false, wait: sameWait(draft, met) };
  throw isFull ? waitLimitReached() : new Error('An item of the wait exists already');
}

async function write(table: Table, wait: TaskWait, now: Date) {
  const outcome = await transact(table, [
    { put: waitItem(wait, nextCheckAt(wait, now)), when: { exists: false } },
    {
      update: {
        key: waitCountKey(wait.projectId),
        set: { entity: 'task-wait-count', schemaVersion: 1 },
        add: { waitIds: new Set([wait.waitId]) },
        when: { fewerThan: { waitIds: maxActiveWaits } },
      },
    },
    ...wait.taskIds.map((taskId) => ({ put: waiterItem(taskId, wait), when: { exists: false } })),
  ]);
  if (outcome.committed) return { committed: true };
  const [record, count] = outcome.refusals;
  return { committed: false, met: record?.item, isFull: count?.failed };
}

/** @throws {waitKeyReused} */
function sameWait(draft: WaitDraft, item: Item): TaskWait {
  const wait = TaskWait.parse(item);
  const isSame =
    wait.condition === draft.condition &&
    wait.wakeAfterSeconds === draft.wakeAfterSeconds &&
    wait.taskIds.toSorted().join() === draft.taskIds.toSorted().join();
  if (!isSame) throw waitKeyReused();
  return wait;
}
