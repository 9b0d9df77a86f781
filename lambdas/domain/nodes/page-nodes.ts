import { byOwner, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { Node, ownerOfNodes } from './node.js';

/** A user's nodes, newest first, without deleted ones. One table call. */
export async function pageNodes(
  table: Table,
  userId: string,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly nodes: readonly Node[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :owner',
      ExpressionAttributeValues: { ':owner': ownerOfNodes(userId) },
      ScanIndexForward: false,
    },
    { ...page, query: `nodes of ${userId}` },
  );
  return { nodes: items.map((item) => Node.parse(item)), nextCursor };
}
