import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Member, memberProjects } from './member.js';

/** The projects a user is a member of, newest first; one table call. */
export async function listProjects(
  table: Table,
  userId: string,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly members: readonly Member[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :projects',
      // Who was removed, or has not yet accepted, is not a member.
      FilterExpression: '#status = :active',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':projects': memberProjects(userId), ':active': 'active' },
      // Project ids sort by the time they were made.
      ScanIndexForward: false,
    },
    { ...page, query: `projects of ${userId}` },
  );
  return { members: items.map((item) => Member.parse(item)), nextCursor };
}
