import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Member, memberProjects } from './member.js';
import type { Project } from './project.js';

/** The projects a user is a member of, newest first; one table call. */
export async function listProjects(
  table: Table,
  { userId, status }: { readonly userId: string; readonly status?: Project['status'] | undefined },
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly members: readonly Member[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :projects',
      // Who was removed, or has not yet accepted, is not a member.
      FilterExpression: `#status = :active${status ? ' AND #project.#status = :status' : ''}`,
      ExpressionAttributeNames: { '#status': 'status', ...(status ? { '#project': 'project' } : {}) },
      ExpressionAttributeValues: {
        ':projects': memberProjects(userId),
        ':active': 'active',
        ...(status ? { ':status': status } : {}),
      },
      // Project ids sort by the time they were made.
      ScanIndexForward: false,
    },
    { ...page, query: `projects of ${userId} ${status ?? ''}` },
  );
  return { members: items.map((item) => Member.parse(item)), nextCursor };
}
