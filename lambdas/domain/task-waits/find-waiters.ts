import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { byParent, type Table } from '../../shared/table.js';
import { openWaits, TaskWait, type WaitRef, waitersOf } from './task-wait.js';

const Waiter = z.pick(TaskWait, { chatId: true, waitKey: true });

/** Who waits for a task. One table call. */
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

/** Waits that have to be looked at, the longest overdue first: as many as one pass takes. One table call. */
export async function listDueWaits(table: Table, now: Date, limit: number): Promise<readonly WaitRef[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byParent,
      KeyConditionExpression: 'parentPk = :open AND parentSk < :now',
      ExpressionAttributeValues: { ':open': openWaits, ':now': now.toISOString() },
      Limit: limit,
    }),
  );
  return Items.map((item) => Waiter.parse(item));
}
