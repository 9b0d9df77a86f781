import type { Table } from '../../shared/table.js';
import { deploymentNodesKey, type Node, nodeItem, nodeKey, nodeQuotaKey } from '../nodes/node.js';
import type { Key } from '../records/changes.js';
import type { Conditions } from '../records/conditions.js';
import type { Write } from '../records/transact.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { workspaceChange } from './change-workspace.js';
import { DeploymentNodeLimitReached, NodeLimitReached } from './errors.js';
import { placedOn, slotOf, type Workspace } from './workspace.js';

export interface PlacementLimits {
  /** Workspaces a new node may hold. */
  readonly nodeCapacity: number;
  readonly maxNodesPerUser: number;
  /** Of the whole deployment. */
  readonly maxNodes: number;
}

export type SlotClaim =
  | 'claimed'
  /** The node has no room, or takes no workspaces, any more. */
  | 'no_room'
  /** The workspace has been placed, stopped or deleted meanwhile. */
  | 'not_pending';

type Demands = Pick<Workspace, 'resourceRequirements'>;

/** How many holders a node may have for a workspace to be among them, the workspace counted. */
export function slotLimit(
  node: Pick<Node, 'capacity' | 'slots' | 'tenantLimit'>,
  workspace: Demands,
): number {
  const { exclusiveNode, maxCoTenants = node.capacity } = workspace.resourceRequirements ?? {};
  // What earlier holders wanted went with the last of them.
  const ofOthers = node.slots ? (node.tenantLimit ?? node.capacity) : node.capacity;
  return Math.min(node.capacity, ofOthers, exclusiveNode ? 1 : maxCoTenants + 1);
}

/** What is to be written of a limit: nothing where it is the capacity. */
const strict = (room: number, capacity: number): number | undefined => (room < capacity ? room : undefined);

/** Takes a free place on a running node. */
export async function claimSlot(
  table: Table,
  { workspace, node, now }: { readonly workspace: Workspace; readonly node: Node; readonly now: Date },
): Promise<SlotClaim> {
  const slot = slotOf(workspace);
  const alone = workspace.resourceRequirements?.exclusiveNode === true;
  const room = slotLimit(node, workspace);
  const tenantLimit = strict(room, node.capacity);
  const outcome = await transact(table, [
    place(workspace, node.nodeId, now),
    {
      update: {
        key: nodeKey(node.nodeId),
        set: { slotsChangedAt: now.toISOString(), exclusiveFor: alone ? slot : undefined, tenantLimit },
        // Of earlier holders who have left.
        remove: [...(alone ? [] : ['exclusiveFor']), ...(tenantLimit === undefined ? ['tenantLimit'] : [])],
        add: { slots: new Set([slot]) },
        when: {
          ...unchangedLimit(node),
          someAbsent: [alone ? ['slots'] : ['exclusiveFor', 'slots']],
          fewerThan: { slots: room },
        },
      },
    },
  ]);
  if (outcome.committed) return 'claimed';
  return outcome.refusals[0]?.failed ? 'not_pending' : 'no_room';
}

/** That it runs, and what its holders want is as it was read: the new one's room was reckoned from that. */
function unchangedLimit({ slots, tenantLimit }: Node): Pick<Conditions, 'equals' | 'absent'> {
  const status = 'running';
  if (tenantLimit === undefined) return { equals: { status }, absent: ['retiredAt', 'tenantLimit'] };
  return slots
    ? { equals: { status, tenantLimit }, absent: ['retiredAt'] }
    : { equals: { status }, absent: ['retiredAt', 'slots'] };
}

/**
 * Makes the row of a new node with the place on it already taken.
 *
 * @throws {NodeLimitReached | DeploymentNodeLimitReached}
 */
export async function claimSlotOnNewNode(
  table: Table,
  claim: NewNodeClaim,
): Promise<Exclude<SlotClaim, 'no_room'>> {
  const { workspace, nodeId, now, limits } = claim;
  const outcome = await transact(table, [
    place(workspace, nodeId, now),
    countNode(nodeQuotaKey(workspace.userId), nodeId, limits.maxNodesPerUser),
    countNode(deploymentNodesKey, nodeId, limits.maxNodes),
    { put: nodeItem(newNode(claim)), when: { exists: false } },
    { put: unsettledItem({ kind: 'NODE', id: nodeId, mark: now.toISOString() }), when: {} },
  ]);
  if (outcome.committed) return 'claimed';
  if (outcome.refusals[0]?.failed) return 'not_pending';
  if (outcome.refusals[1]?.failed) throw new NodeLimitReached(limits.maxNodesPerUser);
  if (outcome.refusals[2]?.failed) throw new DeploymentNodeLimitReached(limits.maxNodes);
  throw new Error(`The id ${nodeId} is taken`);
}

/** Takes a node into a set of nodes that may have so many members. */
const countNode = (key: Key, nodeId: string, limit: number): Write => ({
  update: {
    key,
    set: { entity: 'node-quota', schemaVersion: 1 },
    add: { nodeIds: new Set([nodeId]) },
    when: { fewerThan: { nodeIds: limit } },
  },
});

interface NewNodeClaim {
  readonly workspace: Workspace;
  readonly nodeId: string;
  readonly now: Date;
  readonly limits: PlacementLimits;
}

function place({ workspaceId, generation }: Workspace, nodeId: string, now: Date): Write {
  return {
    update: workspaceChange({
      workspaceId,
      move: 'place',
      to: 'provisioning',
      set: { nodeId, ...placedOn(nodeId, workspaceId) },
      when: { equals: { generation } },
      now,
    }),
  };
}

function newNode({ workspace, nodeId, now, limits }: NewNodeClaim): Node {
  const slot = slotOf(workspace);
  const at = now.toISOString();
  const capacity = limits.nodeCapacity;
  const tenantLimit = strict(slotLimit({ capacity }, workspace), capacity);
  return {
    nodeId,
    userId: workspace.userId,
    name: `node-${nodeId.slice(-6).toLowerCase()}`,
    status: 'provisioning',
    role: 'workspace',
    capacity,
    slots: new Set([slot]),
    slotsChangedAt: at,
    ...(workspace.resourceRequirements?.exclusiveNode ? { exclusiveFor: slot } : {}),
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
