import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { StaleGeneration, WorkspaceNotFound } from './errors.js';
import { Workspace, workspaceKey } from './workspace.js';

/** The row, a deleted workspace's too. One table call. */
export async function findWorkspace(table: Table, workspaceId: string): Promise<Workspace | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: workspaceKey(workspaceId), ConsistentRead: true }),
  );
  return Item && Workspace.parse(Item);
}

/** @throws {WorkspaceNotFound} there is none, it is deleted, or it is somebody else's */
export async function findOwnWorkspace(
  table: Table,
  workspaceId: string,
  userId: string,
): Promise<Workspace> {
  return requireOwn(await findWorkspace(table, workspaceId), workspaceId, userId);
}

/** @throws {WorkspaceNotFound} there is none, it is deleted, or it is somebody else's */
export function requireOwn(workspace: Workspace | undefined, workspaceId: string, userId: string): Workspace {
  if (workspace?.userId !== userId || workspace.status === 'deleted')
    throw new WorkspaceNotFound(workspaceId);
  return workspace;
}

/** One life of a workspace, as a callback token or a saga step names it. */
export interface Life {
  readonly workspaceId: string;
  readonly generation: number;
}

/**
 * @throws {WorkspaceNotFound} there is no such workspace
 * @throws {StaleGeneration} it has another life by now, or is deleted
 */
export function requireLife(
  workspace: Workspace | undefined,
  life: Life & { readonly nodeId?: string },
): Workspace {
  const { workspaceId, generation, nodeId } = life;
  if (!workspace) throw new WorkspaceNotFound(workspaceId);
  const elsewhere = nodeId !== undefined && workspace.nodeId !== nodeId;
  if (workspace.generation !== generation || elsewhere || workspace.status === 'deleted') {
    throw new StaleGeneration(workspaceId, generation);
  }
  return workspace;
}
