import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import type { Item } from './batch-items.js';

/** All items of a query, for few: one table call for each MB that it reads. */
export async function queryAll(
  table: Table,
  query: Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let position: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({ TableName: table.name, ...query, ExclusiveStartKey: position }),
    );
    found.push(...Items);
    position = LastEvaluatedKey;
  } while (position);
  return found;
}
