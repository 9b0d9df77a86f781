import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeNode } from './change-node.js';
import { NodeHasActiveWorkspaces, NodeNotFound, NodeNotInState } from './errors.js';
import { findNode } from './find-node.js';
import { deploymentNodesKey, type Node, nodeKey, nodeQuotaKey } from './node.js';
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
    mode === 'stop' ? 'Only a running node can be stopped.' : 'It cannot be removed in this state.',
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

/** Longer than the tombstones of the workspaces that may have to ask it for their proof. */
const tombstoneSeconds = 60 * 24 * 60 * 60;

/** EC2 has said that the instance is stopped: the node keeps its row and its instance. Repeatable. */
export async function markNodeStopped(table: Table, nodeId: string, now: Date): Promise<void> {
  await transact(table, [
    {
      update: {
        key: nodeKey(nodeId),
        set: { status: 'stopped', host: null, ipAddress: null, port: null, updatedAt: now.toISOString() },
        when: { oneOf: { status: ['stopping', 'stopped'] } },
      },
    },
  ]);
}

/**
 * EC2 has said that the instance is terminated, or that there is none: the node is gone, out of the list and out of
 * its owner's and the deployment's quota. Its tombstone proves to its workspaces that they are gone too. Repeatable.
 */
export async function markNodeDeleted(table: Table, nodeId: string, now: Date): Promise<void> {
  const node = await findNode(table, nodeId);
  if (node?.status !== 'deleting') return;
  const at = now.toISOString();
  const takeOut = { nodeIds: new Set([nodeId]) };
  await transact(table, [
    {
      update: {
        key: nodeKey(nodeId),
        set: {
          status: 'deleted',
          terminationConfirmedAt: at,
          updatedAt: at,
          expiresAt: Math.floor(now.getTime() / 1000) + tombstoneSeconds,
        },
        remove: ['ownerPk', 'ownerSk'],
        when: { oneOf: { status: ['deleting'] } },
      },
    },
    { update: { key: nodeQuotaKey(node.userId), takeOut, when: {} } },
    { update: { key: deploymentNodesKey, takeOut, when: {} } },
  ]);
}
