import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { transact } from '../records/transact.js';
import { changeNode, nodeChange } from './change-node.js';
import { NodeHasActiveWorkspaces, NodeNotFound, NodeNotInState } from './errors.js';
import { findNode } from './find-node.js';
import { type Node, unlistedNode } from './node.js';
import { deploymentNodesKey, nodeQuotaKey, uncountNode } from './node-quota.js';
import type { RemovalMode } from './node-status.js';

const statusDuring = { stop: 'stopping', delete: 'deleting' } as const;
const transitions = {
  stop: { move: 'stop', to: 'stopping' },
  delete: { move: 'delete', to: 'deleting' },
} as const;
const statusAfter = { stop: 'stopped', delete: 'deleted' } as const;

interface RemovalRequest {
  readonly nodeId: string;
  readonly mode: RemovalMode;
  /** Only a node of this person. */
  readonly userId?: string;
  /** Only a node that was launched for this workspace: the undo of a launch. */
  readonly launchedFor?: string;
  /**
   * Only a node that was never ready, also one with claims: nothing was sent to it, and its
   * workspaces are placed again.
   */
  readonly neverReady?: boolean;
  /** Only if no slot was claimed or released since then. */
  readonly idleSince?: string;
  readonly now: Date;
}

/**
 * Claims the removal of a node without slots: from here on no workspace can be placed on it. A
 * repeat joins the removal in progress. Two table calls.
 *
 * @throws {NodeNotFound | NodeHasActiveWorkspaces | NodeNotInState}
 */
export async function beginRemoval(table: Table, request: RemovalRequest): Promise<Node> {
  const { nodeId, mode, now } = request;
  await table.client.send(
    new PutCommand({
      TableName: table.name,
      Item: pendingReconcileItem({ kind: 'NODE', id: nodeId, marker: now.toISOString() }),
    }),
  );
  const outcome = await changeNode(table, {
    nodeId,
    ...transitions[mode],
    set: { removal: { mode, attempt: 1, claimedAt: now.toISOString() } },
    when: {
      ...(request.neverReady ? {} : { absent: ['slots'] }),
      equals: identityConditions(request),
    },
    now,
  });
  return outcome.changed ? outcome.node : presentRemoval(outcome.node, request);
}

const identityConditions = ({ userId, launchedFor, idleSince, neverReady }: RemovalRequest) => ({
  ...(neverReady ? { status: 'provisioning' as const } : {}),
  ...(userId === undefined ? {} : { userId }),
  ...(launchedFor === undefined ? {} : { launchedFor }),
  ...(idleSince === undefined ? {} : { slotsChangedAt: idleSince }),
});

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each state of the node has its own answer
function presentRemoval(node: Node | undefined, { nodeId, mode, userId }: RemovalRequest): Node {
  if (!node || (userId !== undefined && node.userId !== userId)) throw new NodeNotFound(nodeId);
  if (node.status === statusDuring[mode] || node.status === statusAfter[mode]) return node;
  if (node.slots) throw new NodeHasActiveWorkspaces(node.slots, mode === 'stop' ? 'CONFLICT' : undefined);
  throw new NodeNotInState(
    node.status,
    mode === 'stop' ? 'Only a running node can be stopped.' : 'It cannot be removed in this state.',
  );
}

/**
 * Counts a new attempt after the saga of the last one failed, so that the execution gets another
 * name.
 */
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

/** Longer than the rows of deleted workspaces, whose proof may need the row of the node. */
const tombstoneSeconds = 60 * 24 * 60 * 60;

/**
 * EC2 reports the instance terminated, or that there is none: the node leaves the quotas of its
 * owner and the deployment, and its row proves the end of its workspaces. A stopped node stays
 * listed until its owner deletes it. Repeatable.
 */
export async function markNodeRemoved(
  table: Table,
  { nodeId, mode, now }: Pick<RemovalRequest, 'nodeId' | 'mode' | 'now'>,
): Promise<void> {
  const node = await findNode(table, nodeId);
  if (node?.status !== statusDuring[mode]) return;
  const set = { terminationConfirmedAt: now.toISOString(), host: null, ipAddress: null, port: null };
  await transact(table, [
    {
      update:
        mode === 'stop'
          ? nodeChange({ nodeId, move: 'stopped', to: 'stopped', set, now })
          : nodeChange({
              nodeId,
              move: 'deleted',
              to: 'deleted',
              set,
              index: unlistedNode,
              expiresInSeconds: tombstoneSeconds,
              now,
            }),
    },
    uncountNode(nodeQuotaKey(node.userId), nodeId),
    uncountNode(deploymentNodesKey, nodeId),
  ]);
}
