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

type PagedQuery = Omit<QueryCommandInput, 'TableName'>;

/**
 * One page of a query on the table or an index; one table call. There may be a last page that is
 * empty: the table does not say before whether anything follows.
 *
 * @throws {InvalidRequest} the cursor is not one of this list
 */
export async function queryPage(table: Table, query: PagedQuery, page: PageRequest): Promise<Page> {
  const { Items = [], LastEvaluatedKey } = await ask(table, { ...query, Limit: page.limit }, page);
  return { items: Items, nextCursor: cursorAfter(page, LastEvaluatedKey) };
}

/**
 * The same where a filter of the index `byOwner` leaves few of many: it looks at as many as one
 * call reads, which is a megabyte, and answers the first of what it finds. A page that holds fewer
 * than its limit may have a next one. `found` is the number of all that it looked at.
 *
 * @throws {InvalidRequest} the cursor is not one of this list
 */
export async function queryFilteredPage(
  table: Table,
  query: PagedQuery,
  page: PageRequest,
): Promise<Page & { readonly found: number }> {
  const { Items = [], LastEvaluatedKey } = await ask(table, query, page);
  const items = Items.slice(0, page.limit);
  const last = items.at(-1);
  if (!last || items.length === Items.length)
    return { items, found: Items.length, nextCursor: cursorAfter(page, LastEvaluatedKey) };
  const { pk, sk, ownerPk, ownerSk } = last;
  const nextCursor = cursorAfter(page, { pk, sk, ownerPk, ownerSk });
  return { items, found: Items.length, nextCursor };
}

const ask = (table: Table, query: PagedQuery, page: PageRequest) =>
  table.client.send(
    new QueryCommand({
      TableName: table.name,
      ...query,
      ...(page.cursor ? { ExclusiveStartKey: openCursor(page, page.cursor) } : {}),
    }),
  );

const cursorAfter = (page: PageRequest, position: unknown): string | null =>
  position ? sealCursor(page, Position.parse(position)) : null;
