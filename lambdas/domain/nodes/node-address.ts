import type { Table } from '../../shared/table.js';
import type { Workspace } from '../workspaces/workspace.js';
import { NodeUnreachable } from './errors.js';
import { findNode } from './find-node.js';
import { type Node, nodeUrl } from './node.js';

export interface NodeAddress {
  readonly nodeId: string;
  readonly url: string;
  /** The one certificate that is trusted at this address; without it, whatever a public authority vouches for. */
  readonly certificatePem: string | null;
  /** When the node was last heard, where its row was read. */
  readonly lastHeartbeatAt?: string | null;
}

/** Where to call a node, if it can be called: it has reported ready and has not been removed. */
export function addressOf(node: Node | undefined): NodeAddress | undefined {
  if (!node || node.status === 'deleted') return undefined;
  const { nodeId, certificatePem, lastHeartbeatAt } = node;
  const url = nodeUrl(node);
  return url === null ? undefined : { nodeId, url, certificatePem, lastHeartbeatAt };
}

/** Where the node of a workspace was when the workspace was sent to it; its agent may be at another port by now. */
export function formerAddressOf(
  workspace: Pick<Workspace, 'nodeId' | 'nodeUrl' | 'nodeCertificatePem'>,
): NodeAddress | undefined {
  const { nodeId, nodeUrl: url, nodeCertificatePem: certificatePem } = workspace;
  return nodeId === null || url === null ? undefined : { nodeId, url, certificatePem };
}

/**
 * Where to call the node that a workspace names, by the node's row. One table call.
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
    throw new NodeUnreachable('The node of the workspace cannot be reached', { mayHaveActed: false });
  return address;
}
