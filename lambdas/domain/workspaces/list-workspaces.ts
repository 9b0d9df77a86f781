import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { ownerOfWorkspaces, Workspace } from './workspace.js';

export interface WorkspaceFilter {
  readonly status?: string | undefined;
  readonly nodeId?: string | undefined;
  readonly projectId?: string | undefined;
}

/** A user's workspaces, newest first, without deleted ones. One table call. */
export async function listWorkspaces(
  table: Table,
  { userId, filter }: { readonly userId: string; readonly filter: WorkspaceFilter },
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly workspaces: readonly Workspace[]; readonly nextCursor: string | null }> {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :owner',
      ...(wanted.length > 0
        ? {
            FilterExpression: wanted.map(([name]) => `#${name} = :${name}`).join(' AND '),
            ExpressionAttributeNames: Object.fromEntries(wanted.map(([name]) => [`#${name}`, name])),
          }
        : {}),
      ExpressionAttributeValues: {
        ':owner': ownerOfWorkspaces(userId),
        ...Object.fromEntries(wanted.map(([name, value]) => [`:${name}`, value])),
      },
      // Ids sort by the time they were made.
      ScanIndexForward: false,
    },
    { ...page, query: JSON.stringify(['workspaces', userId, wanted]) },
  );
  return { workspaces: items.map((item) => Workspace.parse(item)), nextCursor };
}
