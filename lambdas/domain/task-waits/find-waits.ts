import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from '../../shared/table.js';
import type { Item } from '../records/batch-items.js';
import { listDue } from '../records/list-due.js';
import { Task } from '../tasks/task.js';
import { hasEnded } from '../tasks/task-status.js';
import { openWaits, TaskWait, type WaitRef, waitersOf } from './task-wait.js';

const Waiter = z.pick(TaskWait, { chatId: true, waitKey: true });

/** The waits for a task. One table call. */
export async function findWaiters(table: Table, taskId: string): Promise<readonly WaitRef[]> {
  const { pk, prefix } = waitersOf(taskId);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :task AND begins_with(sk, :waiters)',
      ExpressionAttributeValues: { ':task': pk, ':waiters': prefix },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Waiter.parse(item));
}

/** Waits that are due for a check, the longest overdue first. One table call. */
export async function listDueWaits(table: Table, now: Date, limit: number): Promise<readonly WaitRef[]> {
  const items = await listDue(table, { partition: openWaits, now, limit });
  return items.map((item) => Waiter.parse(item));
}

const Entity = z.object({ entity: z.string() });

/**
 * The waits that a change of the table may end: a new wait, whose tasks may have ended before, and
 * the waits for a task that has ended or was deleted. One table call, or none.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: two kinds of record, each before and after its change
export async function waitsOfChange(
  table: Table,
  { before, after }: { readonly before: Item | undefined; readonly after: Item | undefined },
): Promise<readonly WaitRef[]> {
  const { entity } = Entity.parse(after ?? before ?? { entity: '' });
  if (entity === 'task-wait') return after && !before ? [TaskWait.parse(after)] : [];
  if (entity !== 'task') return [];
  const task = Task.parse(after ?? before);
  const hadEnded = before !== undefined && hasEnded(Task.parse(before).status);
  const endsNow = !after || (hasEnded(task.status) && !hadEnded);
  return endsNow ? findWaiters(table, task.taskId) : [];
}
