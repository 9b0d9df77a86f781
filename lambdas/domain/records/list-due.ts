import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byParent, type Table } from '../../shared/table.js';
import type { Item } from './batch-items.js';

interface Due {
  /** Of the index `byParent`, whose sort keys begin with a time. */
  readonly partition: string;
  readonly now: Date;
  readonly limit: number;
}

/** The items of a partition whose time has come, the longest overdue first. One table call. */
export async function listDue(table: Table, { partition, now, limit }: Due): Promise<readonly Item[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byParent,
      KeyConditionExpression: 'parentPk = :partition AND parentSk < :now',
      ExpressionAttributeValues: { ':partition': partition, ':now': now.toISOString() },
      Limit: limit,
    }),
  );
  return Items;
}
