import type { Table } from '../../shared/table.js';
import { type Node, nodeItem, nodeKey, nodeQuotaKey } from '../nodes/node.js';
import type { Write } from '../records/transact.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { workspaceChange } from './change-workspace.js';
import { NodeLimitReached } from './errors.js';
import { placedOn, slotOf, type Workspace } from './workspace.js';

export interface PlacementLimits {
  /** Workspaces a new node may hold. */
  readonly nodeCapacity: number;
  readonly maxNodesPerUser: number;
}

export type Claim =
  | 'claimed'
  /** The node has no room, or takes no workspaces, any more. */
  | 'no_room'
  /** The workspace has been placed, stopped or deleted meanwhile. */
  | 'not_pending';

/** Takes a free place on a running node. */
export async function claimSlot(
  table: Table,
  { workspace, node, now }: { readonly workspace: Workspace; readonly node: Node; readonly now: Date },
): Promise<Claim> {
  const slot = slotOf(workspace);
  const alone = workspace.resourceRequirements?.exclusiveNode === true;
  const outcome = await transact(table, [
    place(workspace, node.nodeId, now),
    {
      update: {
        key: nodeKey(node.nodeId),
        set: { slotsChangedAt: now.toISOString(), exclusiveFor: alone ? slot : undefined },
        // Of an earlier holder who has left.
        remove: alone ? [] : ['exclusiveFor'],
        add: { slots: new Set([slot]) },
        when: {
          equals: { status: 'running' },
          absent: ['retiredAt'],
          someAbsent: [alone ? ['slots'] : ['exclusiveFor', 'slots']],
          fewerThan: { slots: node.capacity },
        },
      },
    },
  ]);
  if (outcome.committed) return 'claimed';
  return outcome.refusals[0]?.failed ? 'not_pending' : 'no_room';
}

/**
 * Makes the row of a new node with the place on it already taken.
 *
 * @throws {NodeLimitReached}
 */
export async function claimNewNode(table: Table, claim: NewNodeClaim): Promise<Exclude<Claim, 'no_room'>> {
  const { workspace, nodeId, now, limits } = claim;
  const outcome = await transact(table, [
    place(workspace, nodeId, now),
    {
      update: {
        key: nodeQuotaKey(workspace.userId),
        set: { entity: 'node-quota', schemaVersion: 1 },
        add: { nodeIds: new Set([nodeId]) },
        when: { fewerThan: { nodeIds: limits.maxNodesPerUser } },
      },
    },
    { put: nodeItem(newNode(claim)), when: { exists: false } },
    { put: unsettledItem({ kind: 'NODE', id: nodeId, mark: now.toISOString() }), when: {} },
  ]);
  if (outcome.committed) return 'claimed';
  if (outcome.refusals[0]?.failed) return 'not_pending';
  if (outcome.refusals[1]?.failed) throw new NodeLimitReached(limits.maxNodesPerUser);
  throw new Error(`The id ${nodeId} is taken`);
}

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
  return {
    nodeId,
    userId: workspace.userId,
    name: `node-${nodeId.slice(-6).toLowerCase()}`,
    status: 'provisioning',
    role: 'workspace',
    capacity: limits.nodeCapacity,
    slots: new Set([slot]),
    slotsChangedAt: at,
    ...(workspace.resourceRequirements?.exclusiveNode ? { exclusiveFor: slot } : {}),
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
