import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import { Task } from '../tasks/task.js';
import { isOver } from '../tasks/task-status.js';
import { findWaiters } from './find-waiters.js';
import { TaskWait, type WaitRef } from './task-wait.js';

const Entity = z.object({ entity: z.string() });

/**
 * Waits that a change of the table may have ended: a new one, whose tasks may have been over before it was written, and
 * those for a task that has ended or is gone. One table call, or none.
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the exits of one loop, which share its state
export async function touchedWaits(
  table: Table,
  { before, after }: { readonly before: Item | undefined; readonly after: Item | undefined },
): Promise<readonly WaitRef[]> {
  const { entity } = Entity.parse(after ?? before ?? { entity: '' });
  if (entity === 'task-wait') return after && !before ? [TaskWait.parse(after)] : [];
  if (entity !== 'task') return [];
  const task = Task.parse(after ?? before);
  const wasOver = before && isOver(Task.parse(before).status);
  const hasEnded = !after || (isOver(task.status) && !wasOver);
  return hasEnded ? findWaiters(table, task.taskId) : [];
}
