import type { Table } from '../../shared/table.js';
import { listNodesOf } from '../nodes/find-node.js';
import type { Node } from '../nodes/node.js';
import { nodeHealth } from '../nodes/node-status.js';
import {
  claimSlot,
  claimSlotOnNewNode,
  type PlacementLimits,
  type SlotClaim,
  slotLimit,
} from './claim-slot.js';
import { RequestedNodeUnavailable, requestedNodeFull, WorkspaceStopped } from './errors.js';
import { findWorkspace, requireGeneration } from './find-workspace.js';
import { slotOf, type Workspace } from './workspace.js';

interface Placement {
  readonly nodeId: string;
  /** The node is new: it has to be launched before the workspace can be made on it. */
  readonly launch: boolean;
}

/**
 * Places a pending workspace on the fullest of its owner's nodes with a free slot, or on a new
 * node. Slot and workspace change in one transaction, so no race exceeds the capacity of a node. A
 * repeat returns the same node.
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
  const nodes = await listNodesOf(table, workspace.userId);
  if (workspace.status === 'provisioning' && workspace.nodeId !== null) {
    return placementOf(nodes, workspace, workspace.nodeId);
  }
  if (workspace.status !== 'pending') throw new WorkspaceStopped(target.workspaceId);

  const wanted = generation === 1 ? workspace.wantedNodeId : undefined;
  const offered = wanted ? nodes.filter(({ nodeId }) => nodeId === wanted) : nodes;
  for (const node of candidates(offered, workspace, now)) {
    const claim: SlotClaim = await claimSlot(table, { workspace, node, now });
    if (claim === 'claimed') return { nodeId: node.nodeId, launch: false };
    if (claim === 'not_pending') return placeWorkspace(table, target, { now, newNodeId, limits });
  }
  if (wanted) throw notThere(nodes.find(({ nodeId }) => nodeId === wanted));
  const claim = await claimSlotOnNewNode(table, { workspace, nodeId: newNodeId, now, limits });
  if (claim === 'not_pending') return placeWorkspace(table, target, { now, newNodeId, limits });
  return { nodeId: newNodeId, launch: true };
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
    .filter(({ status, retiredAt }) => status === 'running' && retiredAt === undefined)
    .filter(({ lastHeartbeatAt }) => nodeHealth(lastHeartbeatAt, now) === 'healthy')
    .filter((node) => taken(node) === 0 || node.exclusiveFor === undefined)
    .filter((node) => taken(node) < slotLimit(node, workspace))
    .toSorted((a, b) => has(b) - has(a) || taken(b) - taken(a));
}

function placementOf(nodes: readonly Node[], workspace: Workspace, nodeId: string): Placement {
  const node = nodes.find((one) => one.nodeId === nodeId);
  // The index may not show a new node yet; it has to be launched then.
  const launch = !node || (node.status === 'provisioning' && node.launchedFor === workspace.workspaceId);
  return { nodeId, launch: launch && (node === undefined || node.slots?.has(slotOf(workspace)) === true) };
}
