import type { Table } from '../../shared/table.js';
import type { Workspace } from '../workspaces/workspace.js';
import { NodeUnreachable } from './errors.js';
import { findNodeAddress, formerAddressOf, type NodeAddress } from './node-address.js';

/**
 * Calls the node of a workspace where the workspace's row says that it was, which costs no table call. Where nothing of
 * the call arrives there, and only then, at the node's present address: one table call.
 *
 * @throws {NodeUnreachable}
 */
export async function reachNode<Answer>(
  table: Table,
  workspace: Pick<Workspace, 'nodeId' | 'nodeUrl' | 'nodeCertificatePem'>,
  call: (address: NodeAddress) => Promise<Answer>,
): Promise<Answer> {
  const former = formerAddressOf(workspace);
  if (!former) return call(await findNodeAddress(table, workspace.nodeId));
  try {
    return await call(former);
  } catch (error) {
    if (!(error instanceof NodeUnreachable) || error.mayHaveActed) throw error;
    const present = await findNodeAddress(table, workspace.nodeId);
    if (present.url === former.url) throw error;
    return call(present);
  }
}
