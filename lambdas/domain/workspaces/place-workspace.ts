import type { Table } from '../../shared/table.js';
import type { Node } from '../nodes/node.js';
import { readFleet } from '../nodes/node-quota.js';
import { nodeHealth } from '../nodes/node-status.js';
import { countWaitingBefore } from './admission.js';
import {
  claimSlot,
  claimSlotOnNewNode,
  type PlacementLimits,
  type SlotClaim,
  slotLimit,
} from './claim-slot.js';
import { nodeLimitReached, RequestedNodeUnavailable, requestedNodeFull, WorkspaceStopped } from './errors.js';
import { findWorkspace, requireGeneration } from './find-workspace.js';
import { slotOf, type Workspace } from './workspace.js';

interface Placement {
  readonly nodeId: string;
  /** The node is new: it has to be launched before the workspace can be made on it. */
  readonly launch: boolean;
  /** The node is being launched for another workspace: it has to be ready first. */
  readonly join: boolean;
}

/**
 * Places a pending workspace on the fullest of its owner's nodes with a free slot, on one that is
 * being launched, or on a new node. Slot and workspace change in one transaction, so no race
 * exceeds the capacity of a node; a new node is refused when another was launched since the fleet
 * was read, so that concurrent requests share it. A repeat returns the same node.
 *
 * @throws {WorkspaceStopped} a stop or deletion came first
 * @throws {NodeLimitReached} no free slot, and no further node is allowed, or the requested node
 * is full
 * @throws {RequestedNodeUnavailable}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each candidate may be lost to a concurrent claim, which repeats the placement
export async function placeWorkspace(
  table: Table,
  target: { readonly workspaceId: string; readonly generation: number },
  {
    now,
    newNodeId,
    limits,
  }: { readonly now: Date; readonly newNodeId: string; readonly limits: PlacementLimits },
): Promise<Placement> {
  const { workspaceId, generation } = target;
  const workspace = requireGeneration(await findWorkspace(table, target.workspaceId), {
    workspaceId,
    generation,
  });
  const fleet = await readFleet(table, workspace.userId);
  const { nodes } = fleet;
  if (workspace.status === 'provisioning' && workspace.nodeId !== null) {
    return placementOf(nodes, workspace, workspace.nodeId);
  }
  if (workspace.status !== 'pending') throw new WorkspaceStopped(target.workspaceId);

  const wanted = generation === 1 ? workspace.wantedNodeId : undefined;
  const offered = wanted ? nodes.filter(({ nodeId }) => nodeId === wanted) : nodes;
  const open = candidates(offered, workspace, now);
  if (!wanted && fleet.count >= limits.maxNodesPerUser)
    await requireTurn(table, workspace, { open, limits, now });
  for (const node of open) {
    const claim: SlotClaim = await claimSlot(table, { workspace, node, now });
    if (claim === 'claimed') return { nodeId: node.nodeId, launch: false, join: isBeingLaunched(node) };
    if (claim === 'not_pending') return placeWorkspace(table, target, { now, newNodeId, limits });
  }
  if (wanted) throw notThere(nodes.find(({ nodeId }) => nodeId === wanted));
  const claim = await claimSlotOnNewNode(table, { workspace, nodeId: newNodeId, now, limits, fleet });
  if (claim !== 'claimed') return placeWorkspace(table, target, { now, newNodeId, limits });
  return { nodeId: newNodeId, launch: true, join: false };
}

/**
 * The free slots of a full fleet belong to the workspaces that wait for the longest time.
 *
 * @throws {NodeLimitReached}
 */
async function requireTurn(
  table: Table,
  workspace: Workspace,
  {
    open,
    limits,
    now,
  }: { readonly open: readonly Node[]; readonly limits: PlacementLimits; readonly now: Date },
): Promise<void> {
  const before = await countWaitingBefore(table, workspace, now);
  const free = open.reduce((sum, node) => sum + slotLimit(node, workspace) - (node.slots?.size ?? 0), 0);
  if (before >= free) throw nodeLimitReached(limits.maxNodesPerUser, before + 1);
}

/** Only a full node is worth waiting for. */
function notThere(node: Node | undefined): Error {
  if (node?.status !== 'running' || node.retiredAt !== undefined)
    return new RequestedNodeUnavailable(node?.name);
  return requestedNodeFull(node.name);
}

function candidates(nodes: readonly Node[], workspace: Workspace, now: Date): readonly Node[] {
  const taken = (node: Node) => node.slots?.size ?? 0;
  // The former node has its files.
  const has = ({ nodeId }: Node) => (nodeId === workspace.formerNodeId ? 1 : 0);
  return nodes
    .filter(({ retiredAt }) => retiredAt === undefined)
    .filter((node) => node.status === 'provisioning' || isHealthy(node, now))
    .filter((node) => taken(node) === 0 || node.exclusiveFor === undefined)
    .filter((node) => taken(node) < slotLimit(node, workspace))
    .toSorted((a, b) => has(b) - has(a) || runs(b) - runs(a) || taken(b) - taken(a));
}

const isHealthy = ({ status, lastHeartbeatAt }: Node, now: Date): boolean =>
  status === 'running' && nodeHealth(lastHeartbeatAt, now) === 'healthy';

const runs = ({ status }: Node): number => (status === 'running' ? 1 : 0);

/** It has no address before it is registered. */
const isBeingLaunched = ({ status, host }: Node): boolean => status === 'provisioning' || host === null;

function placementOf(nodes: readonly Node[], workspace: Workspace, nodeId: string): Placement {
  const node = nodes.find((one) => one.nodeId === nodeId);
  const launch =
    node?.status === 'provisioning' &&
    node.launchedFor === workspace.workspaceId &&
    node.slots?.has(slotOf(workspace)) === true;
  // The step that registers a node finds out whether it was removed.
  return { nodeId, launch, join: !launch && (node === undefined || isBeingLaunched(node)) };
}
