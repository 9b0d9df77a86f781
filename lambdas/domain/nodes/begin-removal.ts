import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeNode } from './change-node.js';
import { NodeHasActiveWorkspaces, NodeNotFound, NodeNotInState } from './errors.js';
import type { Node } from './node.js';
import type { RemovalMode } from './node-status.js';

const after = { stop: 'stopping', delete: 'deleting' } as const;
const reached = { stop: 'stopped', delete: 'deleted' } as const;

export interface RemovalRequest {
  readonly nodeId: string;
  readonly mode: RemovalMode;
  /** Only if it is this person's. */
  readonly userId?: string;
  /** Only if it was launched for this workspace, never became of use and holds nothing: an undo. */
  readonly launchedFor?: string;
  /** Only if no place has been taken or given back since: it is idle. */
  readonly idleSince?: string;
  readonly now: Date;
}

/**
 * Takes a node out of use, provided that no workspace holds a place on it: from here on none can be placed there. A
 * repeat joins the removal that is under way. Two table calls.
 *
 * @throws {NodeNotFound | NodeHasActiveWorkspaces | NodeNotInState}
 */
export async function beginRemoval(table: Table, request: RemovalRequest): Promise<Node> {
  const { nodeId, mode, now } = request;
  await table.client.send(
    new PutCommand({
      TableName: table.name,
      Item: unsettledItem({ kind: 'NODE', id: nodeId, mark: now.toISOString() }),
    }),
  );
  const outcome = await changeNode(table, {
    nodeId,
    move: mode,
    to: after[mode],
    set: { removal: { mode, attempt: 1, claimedAt: now.toISOString() } },
    when: { absent: ['slots'], equals: ownerConditions(request) },
    now,
  });
  return outcome.changed ? outcome.node : standing(outcome.node, request);
}

function ownerConditions({ userId, launchedFor, idleSince }: RemovalRequest): Record<string, string> {
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(launchedFor === undefined ? {} : { launchedFor }),
    ...(idleSince === undefined ? {} : { slotsChangedAt: idleSince }),
  };
}

function standing(node: Node | undefined, { nodeId, mode, userId }: RemovalRequest): Node {
  if (!node || (userId !== undefined && node.userId !== userId)) throw new NodeNotFound(nodeId);
  if (node.status === after[mode] || node.status === reached[mode]) return node;
  if (node.slots) throw new NodeHasActiveWorkspaces(node.slots, mode === 'stop' ? 'CONFLICT' : undefined);
  throw new NodeNotInState(
    node.status,
    mode === 'stop' ? 'only a running node can be stopped' : 'it cannot be removed',
  );
}

/** A new attempt after the saga of the last one gave up, so that its execution has a name of its own. */
export async function nextRemovalAttempt(table: Table, node: Node, now: Date): Promise<Node | undefined> {
  if (!node.removal) return undefined;
  const outcome = await changeNode(table, {
    nodeId: node.nodeId,
    set: { removal: { ...node.removal, attempt: node.removal.attempt + 1 } },
    when: { equals: { status: node.status, updatedAt: node.updatedAt } },
    now,
  });
  return outcome.changed ? outcome.node : undefined;
}
