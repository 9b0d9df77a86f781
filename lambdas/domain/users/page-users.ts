import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { allUsers, User } from './user.js';

/** All users, newest first: their ids sort by the time they were made. One table call. */
export async function pageUsers(
  table: Table,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly users: readonly User[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :users',
      ExpressionAttributeValues: { ':users': allUsers },
      ScanIndexForward: false,
    },
    { ...page, query: 'users' },
  );
  return { users: items.map((item) => User.parse(item)), nextCursor };
}
