import type { Table } from '../../shared/table.js';
import { Grant, grantKey } from '../code-host/grant.js';
import { getItems } from '../records/get-items.js';
import { requireOwn } from './find-workspace.js';
import { Workspace, workspaceKey } from './workspace.js';

export interface OwnWorkspace {
  readonly seen: Workspace;
  /** The owner's. */
  readonly grant: Grant | undefined;
}

/**
 * A workspace of the caller's own, with what they have granted us on the code host. One table call.
 *
 * @throws {WorkspaceNotFound} there is none, it is deleted, or it is somebody else's
 */
export async function loadWithGrant(
  table: Table,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<OwnWorkspace> {
  const keys = { workspace: workspaceKey(workspaceId), grant: grantKey(userId) };
  const find = await getItems(table, Object.values(keys));
  const [workspace, grant] = [find(keys.workspace), find(keys.grant)];
  const seen = requireOwn(workspace && Workspace.parse(workspace), workspaceId, userId);
  return { seen, grant: grant && Grant.parse(grant) };
}
