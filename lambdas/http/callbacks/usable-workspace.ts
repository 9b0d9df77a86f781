import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { findWorkspace, requireLife } from '../../domain/workspaces/find-workspace.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import type { ByWorkspace } from '../../edge/workspace-callback-route.js';

/**
 * The workspace that calls, which must live: what is being stopped or has failed needs no key any more. One table call.
 *
 * @throws {NotFound | StaleGeneration}
 */
export async function usableWorkspace(call: ByWorkspace): Promise<Workspace> {
  const { workspaceId, nodeId, generation, table } = call;
  const workspace = requireLife(await findWorkspace(table, workspaceId), { workspaceId, nodeId, generation });
  if (workspace.status !== 'provisioning' && !isUsable(workspace.status))
    throw new StaleGeneration(workspaceId, generation);
  return workspace;
}
