import type { Table } from '../../shared/table.js';
import { nodeChange } from '../nodes/change-node.js';
import { type Node, nodeItem } from '../nodes/node.js';
import { countNode, deploymentNodesKey, type Fleet, nodeQuotaKey } from '../nodes/node-quota.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import type { RecordConditions } from '../records/record-change.js';
import type { Write } from '../records/transact.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from './change-workspace.js';
import { deploymentNodeLimitReached, nodeLimitReached } from './errors.js';
import { notWaiting, placedOn, slotOf, type Workspace } from './workspace.js';

export interface PlacementLimits {
  /** Workspaces a new node may hold. */
  readonly nodeCapacity: number;
  readonly maxNodesPerUser: number;
  /** Of the whole deployment. */
  readonly maxNodes: number;
}

export type SlotClaim =
  | 'claimed'
  /** The node has no free slot, or accepts no workspaces any more. */
  | 'no_room'
  /** Another node was launched since the read; it may have room. */
  | 'fleet_changed'
  /** The workspace was placed, stopped or deleted first. */
  | 'not_pending';

type Requirements = Pick<Workspace, 'resourceRequirements'>;

const isExclusive = ({ resourceRequirements }: Requirements): boolean =>
  resourceRequirements?.exclusiveNode === true;

/** How many workspaces the node may have with this one on it. */
export function slotLimit(
  node: Pick<Node, 'capacity' | 'slots' | 'tenantLimit'>,
  workspace: Requirements,
): number {
  const { maxCoTenants = node.capacity } = workspace.resourceRequirements ?? {};
  // The limit of earlier workspaces ends with the last of them.
  const ofOthers = node.slots ? (node.tenantLimit ?? node.capacity) : node.capacity;
  return Math.min(node.capacity, ofOthers, isExclusive(workspace) ? 1 : maxCoTenants + 1);
}

/** The limit to store: only one that is lower than the capacity. */
const lowerThan = (limit: number, capacity: number): number | undefined =>
  limit < capacity ? limit : undefined;

/** Claims a free slot on a node that runs or is being launched. */
export async function claimSlot(
  table: Table,
  { workspace, node, now }: { readonly workspace: Workspace; readonly node: Node; readonly now: Date },
): Promise<SlotClaim> {
  const slot = slotOf(workspace);
  const limit = slotLimit(node, workspace);
  const outcome = await transact(table, [
    place(workspace, node.nodeId, now),
    {
      update: nodeChange({
        nodeId: node.nodeId,
        set: {
          slotsChangedAt: now.toISOString(),
          exclusiveFor: isExclusive(workspace) ? slot : null,
          tenantLimit: lowerThan(limit, node.capacity) ?? null,
        },
        addTo: { slots: slot },
        when: { ...unchangedLimit(node), fewerThan: { slots: limit } },
        now,
      }),
    },
  ]);
  if (outcome.committed) return 'claimed';
  return outcome.refusals[0]?.failed ? 'not_pending' : 'no_room';
}

/** The limit of its workspaces is the one that `slotLimit` was computed from. */
function unchangedLimit({ slots, tenantLimit }: Node): RecordConditions<Node> {
  const oneOf = { status: ['provisioning', 'running'] } as const;
  if (tenantLimit === undefined) return { oneOf, absent: ['retiredAt', 'tenantLimit'] };
  return slots
    ? { oneOf, equals: { tenantLimit }, absent: ['retiredAt'] }
    : { oneOf, absent: ['retiredAt', 'slots'] };
}

/**
 * Creates the row of a new node with a slot already claimed.
 *
 * @throws {NodeLimitReached}
 */
export async function claimSlotOnNewNode(
  table: Table,
  claim: NewNodeClaim,
): Promise<Exclude<SlotClaim, 'no_room'>> {
  const { workspace, nodeId, now, limits, fleet } = claim;
  const outcome = await transact(table, [
    place(workspace, nodeId, now),
    countNode(nodeQuotaKey(workspace.userId), nodeId, { limit: limits.maxNodesPerUser, since: fleet }),
    countNode(deploymentNodesKey, nodeId, { limit: limits.maxNodes }),
    { put: nodeItem(newNode(claim)), when: { exists: false } },
    { put: pendingReconcileItem({ kind: 'NODE', id: nodeId, marker: now.toISOString() }), when: {} },
  ]);
  if (outcome.committed) return 'claimed';
  if (outcome.refusals[0]?.failed) return 'not_pending';
  if (outcome.refusals[1]?.failed) {
    if (fleet.count >= limits.maxNodesPerUser) throw nodeLimitReached(limits.maxNodesPerUser);
    return 'fleet_changed';
  }
  if (outcome.refusals[2]?.failed) throw deploymentNodeLimitReached(limits.maxNodes);
  throw new Error(`The node id ${nodeId} is taken`);
}

interface NewNodeClaim {
  readonly workspace: Workspace;
  readonly nodeId: string;
  readonly now: Date;
  readonly limits: PlacementLimits;
  /** The owner's nodes, none of which has room. */
  readonly fleet: Fleet;
}

function place({ workspaceId, generation }: Workspace, nodeId: string, now: Date): Write {
  return {
    update: workspaceChange({
      workspaceId,
      move: 'place',
      to: 'provisioning',
      set: { nodeId, ...notWaiting },
      index: placedOn(nodeId, workspaceId),
      when: { equals: { generation } },
      now,
    }),
  };
}

function newNode({ workspace, nodeId, now, limits }: NewNodeClaim): Node {
  const slot = slotOf(workspace);
  const at = now.toISOString();
  const capacity = limits.nodeCapacity;
  const tenantLimit = lowerThan(slotLimit({ capacity }, workspace), capacity);
  return {
    nodeId,
    userId: workspace.userId,
    name: `node-${nodeId.slice(-6).toLowerCase()}`,
    status: 'provisioning',
    role: 'workspace',
    capacity,
    slots: new Set([slot]),
    slotsChangedAt: at,
    ...(isExclusive(workspace) ? { exclusiveFor: slot } : {}),
    ...(tenantLimit === undefined ? {} : { tenantLimit }),
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
