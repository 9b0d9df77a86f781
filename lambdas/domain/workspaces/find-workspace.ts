import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { Grant, grantKey } from '../code-host/grant.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { getItems } from '../records/batch-items.js';
import { StaleGeneration, workspaceNotFound } from './errors.js';
import { ownerOfWorkspaces, Workspace, workspaceKey } from './workspace.js';

/** The row, a deleted workspace's too. One table call. */
export async function findWorkspace(table: Table, workspaceId: string): Promise<Workspace | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: workspaceKey(workspaceId), ConsistentRead: true }),
  );
  return Item && Workspace.parse(Item);
}

/** @throws {workspaceNotFound} there is none, it is deleted, or it is somebody else's */
export async function findOwnWorkspace(
  table: Table,
  workspaceId: string,
  userId: string,
): Promise<Workspace> {
  return requireOwnWorkspace(await findWorkspace(table, workspaceId), userId);
}

/** @throws {workspaceNotFound} there is none, it is deleted, or it is somebody else's */
export function requireOwnWorkspace(workspace: Workspace | undefined, userId: string): Workspace {
  if (workspace?.userId !== userId || workspace.status === 'deleted') throw workspaceNotFound();
  return workspace;
}

/** One generation of a workspace, as callback tokens and saga steps name it. */
export interface WorkspaceGeneration {
  readonly workspaceId: string;
  readonly generation: number;
}

/**
 * @throws {workspaceNotFound} the workspace does not exist
 * @throws {StaleGeneration} it has a later generation, another node, or is deleted
 */
export function requireGeneration(
  workspace: Workspace | undefined,
  named: WorkspaceGeneration & { readonly nodeId?: string },
): Workspace {
  const { workspaceId, generation, nodeId } = named;
  if (!workspace) throw workspaceNotFound();
  const elsewhere = nodeId !== undefined && workspace.nodeId !== nodeId;
  if (workspace.generation !== generation || elsewhere || workspace.status === 'deleted') {
    throw new StaleGeneration(workspaceId, generation);
  }
  return workspace;
}

export interface WorkspaceWithGrant {
  readonly workspace: Workspace;

  /** The owner's. */
  readonly grant: Grant | undefined;
}

/**
 * A workspace of the caller with their grant on the code host. One table call.
 *
 * @throws {workspaceNotFound} there is none, it is deleted, or it is somebody else's
 */
export async function findWorkspaceWithGrant(
  table: Table,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<WorkspaceWithGrant> {
  const keys = { workspace: workspaceKey(workspaceId), grant: grantKey(userId) };
  const find = await getItems(table, Object.values(keys));
  const [workspace, grant] = [find(keys.workspace), find(keys.grant)];
  const seen = requireOwnWorkspace(workspace && Workspace.parse(workspace), userId);
  return { workspace: seen, grant: grant && Grant.parse(grant) };
}

interface WorkspaceFilter {
  readonly status?: string | undefined;
  readonly nodeId?: string | undefined;
  readonly projectId?: string | undefined;
}

/** Workspaces of a person, newest first, without deleted ones. One table call. */
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
