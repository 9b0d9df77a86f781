import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Task, taskKey } from './task.js';

/** One table call. */
export async function findTask(table: Table, projectId: string, taskId: string): Promise<Task | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: taskKey(projectId, taskId), ConsistentRead: true }),
  );
  return Item && Task.parse(Item);
}
