import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { InvalidRequest } from '../../shared/errors.js';
import { byOwner, byParent, type Table } from '../../shared/table.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import type { Item } from '../records/batch-items.js';
import { Workspace } from '../workspaces/workspace.js';
import { NodeNotFound } from './errors.js';
import { Node, nodeKey, ownerOfNodes } from './node.js';
import { nodeHealth } from './node-status.js';

/** The row, a deleted node's too. One table call. */
export async function findNode(table: Table, nodeId: string): Promise<Node | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: nodeKey(nodeId), ConsistentRead: true }),
  );
  return Item && Node.parse(Item);
}

/** @throws {NodeNotFound} there is none, it is deleted, or it is somebody else's */
export function requireOwnNode(node: Node | undefined, nodeId: string, userId: string): Node {
  if (node?.userId !== userId || node.status === 'deleted') throw new NodeNotFound(nodeId);
  return node;
}

/** A node and the workspaces that hold places on it, by one query. */
export async function findNodeWithWorkspaces(
  table: Table,
  nodeId: string,
): Promise<{ readonly node: Node | undefined; readonly workspaces: readonly Workspace[] }> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byParent,
      KeyConditionExpression: 'parentPk = :node',
      ExpressionAttributeValues: { ':node': `NODE#${nodeId}` },
    }),
  );
  const node = Items.find(({ entity }) => entity === 'node');
  const workspaces = Items.filter(({ entity }) => entity === 'workspace');
  return { node: node && Node.parse(node), workspaces: workspaces.map((item) => Workspace.parse(item)) };
}

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

/**
 * Checks that the person can have a workspace on the requested node; it may be full. A node of
 * somebody else counts as missing.
 *
 * @throws {InvalidRequest}
 */
export function requireUsableNode(item: Item | undefined, userId: string, now: Date): void {
  const node = item && Node.parse(item);
  if (node?.userId !== userId || node.status === 'deleted') throw refused('You have no node with this id');
  if (node.status !== 'running' || node.role !== 'workspace' || node.retiredAt !== undefined)
    throw refused('The node accepts no workspaces: it is not running, or retired');
  if (nodeHealth(node.lastHeartbeatAt, now) === 'unhealthy')
    throw refused('The node has sent no heartbeat for 6 minutes');
}

const refused = (message: string) =>
  new InvalidRequest('The request is invalid', [{ field: 'nodeId', message }]);
