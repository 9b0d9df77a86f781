import type { Table } from '../../shared/table.js';
import { nodeChange } from '../nodes/change-node.js';
import { type InstanceType, type Offer, resourcesOf } from '../nodes/instance-types.js';
import { type Node, nodeItem } from '../nodes/node.js';
import { countNode, deploymentNodesKey, type Fleet, nodeQuotaKey } from '../nodes/node-quota.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import type { RecordConditions } from '../records/record-change.js';
import type { Write } from '../records/transact.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from './change-workspace.js';
import { deploymentNodeLimitReached, nodeLimitReached } from './errors.js';
import type { PlacementExplanation } from './placement-explanation.js';
import { reservationOf } from './reservation.js';
import { notWaiting, placedOn, slotOf, type Workspace } from './workspace.js';

export interface PlacementLimits {
  readonly offer: Offer;
  /** Workspaces a new node may hold. */
  readonly nodeCapacity: number;
  /** A node that uses this much of CPU, memory or disk gets no further workspaces. */
  readonly saturationPercent: number;
  readonly maxNodesPerUser: number;
  /** Of the whole deployment. */
  readonly maxNodes: number;
}

export type SlotClaim =
  | 'claimed'
  /** Another claim was first, or the node accepts no workspaces any more. */
  | 'node_changed'
  /** Another node was launched since the read; it may have room. */
  | 'fleet_changed'
  /** Another placement claimed the waiting machine first. */
  | 'node_taken'
  /** The workspace was placed, stopped or deleted first. */
  | 'not_pending';

/** Claims a slot on a node that runs or is being launched, if it is as it was read. */
export async function claimSlot(
  table: Table,
  { workspace, node, explanation, now }: NodeClaim,
): Promise<Exclude<SlotClaim, 'fleet_changed' | 'node_taken'>> {
  const { nodeId, slots, reservations = {}, claims } = node;
  const slot = slotOf(workspace);
  const present = Object.entries(reservations).filter(([each]) => slots?.has(each));
  const outcome = await transact(table, [
    place(workspace, explanation, now),
    {
      update: nodeChange({
        nodeId,
        set: {
          slotsChangedAt: now.toISOString(),
          reservations: { ...Object.fromEntries(present), [slot]: reservationOf(workspace) },
          claims: (claims ?? 0) + 1,
        },
        addTo: { slots: slot },
        when: asClaimed(node),
        now,
      }),
    },
  ]);
  if (outcome.committed) return 'claimed';
  return outcome.refusals[0]?.failed ? 'not_pending' : 'node_changed';
}

/** No other claim since the read; a release since then leaves more room than was computed. */
function asClaimed({ claims }: Node): RecordConditions<Node> {
  const oneOf = { status: ['provisioning', 'running'] } as const;
  if (claims === undefined) return { oneOf, absent: ['retiredAt', 'claims'] };
  return { oneOf, equals: { claims }, absent: ['retiredAt'] };
}

/**
 * Creates the row of a new node with a slot already claimed.
 *
 * @throws {NodeLimitReached}
 */
export async function claimSlotOnNewNode(
  table: Table,
  claim: NewNodeClaim,
): Promise<Exclude<SlotClaim, 'node_changed'>> {
  const { workspace, explanation, nodeId, now, limits, fleet } = claim;
  const outcome = await transact(table, [
    place(workspace, explanation, now),
    countNode(nodeQuotaKey(workspace.userId), nodeId, { limit: limits.maxNodesPerUser, since: fleet }),
    countNode(deploymentNodesKey, nodeId, { limit: limits.maxNodes }),
    { put: nodeItem(newNode(claim)), when: { exists: false } },
    { put: pendingReconcileItem({ kind: 'NODE', id: nodeId, marker: now.toISOString() }), when: {} },
  ]);
  if (outcome.committed) return 'claimed';
  if (outcome.refusals[0]?.failed) return 'not_pending';
  // Another placement was first to claim the machine that waits.
  if (outcome.refusals[3]?.failed) return 'node_taken';
  if (outcome.refusals[1]?.failed) {
    if (fleet.count >= limits.maxNodesPerUser) throw nodeLimitReached(limits.maxNodesPerUser);
    return 'fleet_changed';
  }
  if (outcome.refusals[2]?.failed) throw deploymentNodeLimitReached(limits.maxNodes);
  throw new Error(`The row of node ${nodeId} was not written`);
}

interface NodeClaim {
  readonly workspace: Workspace;
  readonly node: Node;
  readonly explanation: PlacementExplanation;
  readonly now: Date;
}

interface NewNodeClaim {
  readonly workspace: Workspace;
  readonly explanation: PlacementExplanation;
  readonly nodeId: string;
  readonly now: Date;
  readonly limits: PlacementLimits;
  /** The smallest that holds the workspace. */
  readonly type: InstanceType;
  /** The owner's nodes, none of which has room. */
  readonly fleet: Fleet;
}

function place(
  { workspaceId, generation }: Workspace,
  placementExplanation: PlacementExplanation,
  now: Date,
): Write {
  const nodeId = String(placementExplanation.nodeId);
  return {
    update: workspaceChange({
      workspaceId,
      move: 'place',
      to: 'provisioning',
      set: { nodeId, placementExplanation, ...notWaiting },
      index: placedOn(nodeId, workspaceId),
      when: { equals: { generation } },
      now,
    }),
  };
}

function newNode({ workspace, nodeId, now, limits, type }: NewNodeClaim): Node {
  const slot = slotOf(workspace);
  const at = now.toISOString();
  return {
    nodeId,
    userId: workspace.userId,
    name: `node-${nodeId.slice(-6).toLowerCase()}`,
    status: 'provisioning',
    role: 'workspace',
    capacity: limits.nodeCapacity,
    slots: new Set([slot]),
    slotsChangedAt: at,
    reservations: { [slot]: reservationOf(workspace) },
    claims: 1,
    instanceType: type.name,
    resources: resourcesOf(type),
    launchedFor: workspace.workspaceId,
    instanceId: null,
    host: null,
    ipAddress: null,
    port: null,
    certificatePem: null,
    agentVersion: null,
    agentReadyAt: null,
    lastHeartbeatAt: null,
    lastMetrics: null,
    errorMessage: null,
    createdAt: at,
    updatedAt: at,
  };
}
