import type { Table } from '../../shared/table.js';
import { raiseAfterOom } from '../evictions/raise-after-oom.js';
import { type InstanceType, typesFor } from '../nodes/instance-types.js';
import { cooldownOf } from '../nodes/launch-cooldown.js';
import type { Node } from '../nodes/node.js';
import { type Fleet, readFleet } from '../nodes/node-quota.js';
import type { PlacementStrategy } from '../nodes/placement-strategy.js';
import { placesOn } from '../nodes/room.js';
import { Project, projectKey } from '../projects/project.js';
import { getItem } from '../records/batch-items.js';
import { countWaitingBefore } from './admission.js';
import { claimSlot, claimSlotOnNewNode, type PlacementLimits } from './claim-slot.js';
import {
  launchesPaused,
  NodeLimitReached,
  nodeLimitReached,
  RequestedNodeUnavailable,
  requestedNodeFull,
  WorkspaceStopped,
} from './errors.js';
import { findWorkspace, requireGeneration } from './find-workspace.js';
import { reservationOf, resolvedReservationOf } from './reservation.js';
import { explain, type Survey, surveyHosts, wantedNodeOf } from './survey-hosts.js';
import { slotOf, type Workspace } from './workspace.js';

interface Placement {
  readonly nodeId: string;
  /** The node is new: it has to be launched before the workspace can be made on it. */
  readonly launch: boolean;
  /** The node is being launched for another workspace: it has to be ready first. */
  readonly join: boolean;
}

interface PlacementCall {
  readonly now: Date;
  /** Of a new node of a type: that of a machine that waits, or a new one. */
  readonly nodeIdFor: (instanceType: string) => Promise<string>;
  readonly limits: PlacementLimits;
}

/**
 * Places a pending workspace on one of its owner's nodes that has room, on one that is being
 * launched, or on a new node of the smallest type that holds it. Slot and workspace change in one
 * transaction, whose condition is that no claim came since the read: no race reserves more than a
 * node has. A new node is refused when another was launched since the fleet was read, so that
 * concurrent requests share it. A repeat returns the same node.
 *
 * @throws {WorkspaceStopped} a stop or deletion came first
 * @throws {NodeLimitReached} no free slot, and no further node is allowed or to be had from EC2,
 * or the requested node is full
 * @throws {InvalidRequest} no type of the deployment is large enough
 * @throws {RequestedNodeUnavailable}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each candidate may be lost to a concurrent claim, which repeats the placement
export async function placeWorkspace(
  table: Table,
  target: { readonly workspaceId: string; readonly generation: number },
  { now, nodeIdFor, limits: deployment }: PlacementCall,
): Promise<Placement> {
  const { workspaceId, generation } = target;
  const found = requireGeneration(await findWorkspace(table, workspaceId), { workspaceId, generation });
  const fleet = await readFleet(table, found.userId);
  const { nodes } = fleet;
  if (found.status === 'provisioning' && found.nodeId !== null) {
    return placementOf(nodes, found, found.nodeId);
  }
  if (found.status !== 'pending') throw new WorkspaceStopped(target.workspaceId);

  const wanted = wantedNodeOf(found);
  const { strategy, mostPerNode, raisesMemory: isAllowed } = await rulesOf(table, found.projectId);
  const stored = await raiseAfterOom(table, found, { isAllowed, offer: deployment.offer, now });
  const workspace = sharedByAtMost(stored, mostPerNode);
  const limits = { ...deployment, nodeCapacity: Math.min(deployment.nodeCapacity, mostPerNode) };
  const limited = nodes.map((node) => ({ ...node, capacity: Math.min(node.capacity, mostPerNode) }));
  const survey = surveyHosts(limited, workspace, { now, limits, strategy });
  try {
    if (!wanted && fleet.count >= limits.maxNodesPerUser) await requireTurn(table, workspace, survey);
    const claimed = await claimOpen(table, workspace, survey);
    // Some of them may still have room for it.
    if (claimed === 'stale')
      return await placeWorkspace(table, target, { now, nodeIdFor, limits: deployment });
    if (claimed) return claimed;
    if (wanted) throw notThere(nodes.find(({ nodeId }) => nodeId === wanted));
    const type = typeOfNewNode(workspace, fleet, { limits, now });
    const nodeId = await nodeIdFor(type.name);
    const chosen = { outcome: 'new_node', nodeId, instanceType: type.name } as const;
    const explanation = explain(survey, chosen);
    const onNew = { workspace, explanation, nodeId, now, limits, fleet, type };
    if ((await claimSlotOnNewNode(table, onNew)) === 'claimed') return { nodeId, launch: true, join: false };
  } catch (error) {
    if (error instanceof NodeLimitReached) error.explanation ??= explain(survey, { outcome: 'waiting' });
    throw error;
  }
  return placeWorkspace(table, target, { now, nodeIdFor, limits: deployment });
}

/** Claims the best node with room; `stale` when one of them was not as it was read. */
async function claimOpen(
  table: Table,
  workspace: Workspace,
  survey: Survey,
): Promise<Placement | 'stale' | undefined> {
  let isStale = false;
  for (const node of survey.open) {
    const outcome = node.status === 'running' ? 'running_node' : 'node_in_launch';
    const explanation = explain(survey, { outcome, node });
    const claim = await claimSlot(table, { workspace, node, explanation, now: survey.situation.now });
    if (claim === 'claimed') return { nodeId: node.nodeId, launch: false, join: isBeingLaunched(node) };
    isStale = true;
    if (claim === 'not_pending') break;
  }
  return isStale ? 'stale' : undefined;
}

/**
 * The room of a full fleet belongs to the workspaces that wait for the longest time.
 *
 * @throws {NodeLimitReached}
 */
async function requireTurn(
  table: Table,
  workspace: Workspace,
  { open, situation: { limits, now } }: Survey,
): Promise<void> {
  const before = await countWaitingBefore(table, workspace, now);
  const need = reservationOf(workspace);
  const free = open.reduce((sum, node) => sum + placesOn(node, need, limits.offer.cpuOvercommit), 0);
  if (before >= free) throw nodeLimitReached(limits.maxNodesPerUser, before + 1);
}

/**
 * The smallest type that holds the workspace and that EC2 has not refused lately.
 *
 * @throws {InvalidRequest} no type of the deployment is large enough
 * @throws {NodeLimitReached} EC2 has refused all types that are
 */
function typeOfNewNode(
  workspace: Workspace,
  { cooldowns }: Fleet,
  { limits, now }: { readonly limits: PlacementLimits; readonly now: Date },
): InstanceType {
  const types = typesFor(reservationOf(workspace), limits.offer);
  const refused = types.flatMap(({ name }) => cooldownOf(cooldowns, name, now) ?? []);
  const type = types.find(({ name }) => !cooldownOf(cooldowns, name, now));
  if (type) return type;
  const [first] = refused.toSorted((a, b) => a.until.localeCompare(b.until));
  if (!first) throw new Error('No type is refused');
  throw launchesPaused(
    types.map(({ name }) => name),
    first,
  );
}

/** Only a full node is worth waiting for. */
function notThere(node: Node | undefined): Error {
  if (node?.status !== 'running' || node.retiredAt !== undefined)
    return new RequestedNodeUnavailable(node?.name);
  return requestedNodeFull(node.name);
}

interface Rules {
  readonly strategy: PlacementStrategy;
  /** Of workspaces, on a node that holds one of the project. */
  readonly mostPerNode: number;
  /** After an eviction because it ran out of memory. */
  readonly raisesMemory: boolean;
}

/** The settings of the project, and for a workspace without one the platform's. */
async function rulesOf(table: Table, projectId: string | null): Promise<Rules> {
  const key = projectId === null ? undefined : projectKey(projectId);
  const project = key && (await getItem(table, key));
  const { placementStrategy, maxWorkspacesPerNode, raiseMemoryAfterOom } =
    (project && Project.parse(project).settings) ?? {};
  return {
    strategy: placementStrategy ?? 'balanced',
    mostPerNode: maxWorkspacesPerNode ?? Number.POSITIVE_INFINITY,
    raisesMemory: raiseMemoryAfterOom ?? true,
  };
}

/** What it reserves on the node has the limit of its project, which binds other projects too. */
function sharedByAtMost(workspace: Workspace, mostPerNode: number): Workspace {
  const reservation = resolvedReservationOf(workspace);
  const maxCoTenants = Math.min(reservation.maxCoTenants, mostPerNode - 1);
  return { ...workspace, resolvedReservation: { ...reservation, maxCoTenants } };
}

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
