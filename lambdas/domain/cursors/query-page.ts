import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { type CursorScope, openCursor, Position, sealCursor } from './cursor.js';

export interface PageRequest extends CursorScope {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly nextCursor: string | null;
}

/**
 * One page of a query on the table or an index; one table call. There may be a last page that is empty: the table does
 * not say before whether anything follows.
 *
 * @throws {InvalidRequest} the cursor is not one of this list
 */
export async function queryPage(
  table: Table,
  query: Omit<QueryCommandInput, 'TableName'>,
  page: PageRequest,
): Promise<Page> {
  const { Items = [], LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      ...query,
      Limit: page.limit,
      ...(page.cursor ? { ExclusiveStartKey: openCursor(page, page.cursor) } : {}),
    }),
  );
  return {
    items: Items,
    nextCursor: LastEvaluatedKey ? sealCursor(page, Position.parse(LastEvaluatedKey)) : null,
  };
}
