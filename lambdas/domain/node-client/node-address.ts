import type { Table } from '../../shared/table.js';
import { NodeUnreachable } from '../nodes/errors.js';
import { findNode } from '../nodes/find-node.js';
import { Node, nodeKey, nodeUrl } from '../nodes/node.js';
import { membershipEnded } from '../projects/errors.js';
import { Member, may, memberKey } from '../projects/member.js';
import { getItems } from '../records/batch-items.js';
import type { Workspace } from '../workspaces/workspace.js';

export interface NodeAddress {
  readonly nodeId: string;
  readonly url: string;
  /** The only trusted certificate at this address; null trusts public authorities. */
  readonly certificatePem: string | null;
  /** The last heartbeat, if the row of the node was read. */
  readonly lastHeartbeatAt?: string | null;
}

/** The address of a node that has reported ready and is not deleted. */
export function addressOf(node: Node | undefined): NodeAddress | undefined {
  if (!node || node.status === 'deleted') return undefined;
  const { nodeId, certificatePem, lastHeartbeatAt } = node;
  const url = nodeUrl(node);
  return url === null ? undefined : { nodeId, url, certificatePem, lastHeartbeatAt };
}

/** The address when the workspace was sent to the node; a restarted agent may have another port. */
export function storedAddressOf(
  workspace: Pick<Workspace, 'nodeId' | 'nodeUrl' | 'nodeCertificatePem'>,
): NodeAddress | undefined {
  const { nodeId, nodeUrl: url, nodeCertificatePem: certificatePem } = workspace;
  return nodeId === null || url === null ? undefined : { nodeId, url, certificatePem };
}

/**
 * The address of a node, from its row. One table call.
 *
 * @throws {NodeUnreachable} it cannot be called
 */
export async function findNodeAddress(table: Table, nodeId: string | null): Promise<NodeAddress> {
  return requireAddress(nodeId === null ? undefined : await findNode(table, nodeId));
}

/** @throws {NodeUnreachable} it cannot be called */
export function requireAddress(node: Node | undefined): NodeAddress {
  const address = addressOf(node);
  if (!address)
    throw new NodeUnreachable('The node of the workspace has no address yet, or is removed', {
      mayHaveActed: false,
    });
  return address;
}

/**
 * The address of the node of a workspace, while its owner may work in its project. One table call.
 *
 * @throws {membershipEnded}
 * @throws {NodeUnreachable} it cannot be called
 */
export async function findAddressForMember(
  table: Table,
  nodeId: string,
  { projectId, userId }: Pick<Workspace, 'projectId' | 'userId'>,
): Promise<NodeAddress> {
  const membership = projectId === null ? undefined : memberKey(projectId, userId);
  const find = await getItems(table, [nodeKey(nodeId), ...(membership ? [membership] : [])]);
  const member = membership && find(membership);
  if (membership && !(member && may(Member.parse(member), 'workspace:write'))) throw membershipEnded();
  const node = find(nodeKey(nodeId));
  return requireAddress(node && Node.parse(node));
}

/**
 * Calls the node at the address on the row of the workspace, without a table call. Only if the
 * request cannot have arrived there, reads the row of the node and calls its present address.
 *
 * @throws {NodeUnreachable}
 */
export async function callAtCurrentAddress<Answer>(
  table: Table,
  workspace: Pick<Workspace, 'nodeId' | 'nodeUrl' | 'nodeCertificatePem'>,
  call: (address: NodeAddress) => Promise<Answer>,
): Promise<Answer> {
  const former = storedAddressOf(workspace);
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
