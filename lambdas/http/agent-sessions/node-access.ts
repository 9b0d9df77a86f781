import { NodeUnreachable } from '../../domain/nodes/errors.js';
import { findNode } from '../../domain/nodes/find-node.js';
import { addressOf } from '../../domain/nodes/node-address.js';
import type { NodeAccess } from '../../domain/nodes/node-workspaces.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import type { Table } from '../../shared/table.js';

const timeoutMs = 10_000;

/**
 * The node of a workspace, by its row: its agent may have come back at another port since. One table call.
 *
 * @throws {NodeUnreachable} it has none that can be called
 */
export async function nodeAccess(
  table: Table,
  { nodeId }: Pick<Workspace, 'nodeId'>,
  now: Date,
): Promise<NodeAccess> {
  const address = nodeId === null ? undefined : addressOf(await findNode(table, nodeId));
  if (!address) throw new NodeUnreachable('The node of the workspace cannot be reached');
  return { keys: signingKeys, address, now, timeoutMs };
}
