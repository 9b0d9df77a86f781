import { inGb, type Resources } from '../nodes/instance-types.js';
import type { Node } from '../nodes/node.js';
import { nodeHealth } from '../nodes/node-status.js';
import { type PlacementStrategy, rankOf } from '../nodes/placement-strategy.js';
import type { Reservation } from '../nodes/reservation.js';
import { freeOn, type Obstacle, obstacleOn, saturatedOf } from '../nodes/room.js';
import type { PlacementLimits } from './claim-slot.js';
import { type HostFinding, maxExplainedHosts, type PlacementExplanation } from './placement-explanation.js';
import { reservationOf } from './reservation.js';
import type { Workspace } from './workspace.js';

export interface Situation {
  readonly strategy: PlacementStrategy;
  readonly limits: PlacementLimits;
  readonly now: Date;
}

/** The nodes of the owner, as far as the workspace is concerned. */
export interface Survey {
  /** The nodes with room, the best first. */
  readonly open: readonly Node[];
  /** The other ones, each with the reason. */
  readonly closed: readonly HostFinding[];
  readonly situation: Situation;
  /** About the reservation. */
  readonly note: string | undefined;
}

type Refusal = Pick<HostFinding, 'code' | 'reason'>;

export function surveyHosts(nodes: readonly Node[], workspace: Workspace, situation: Situation): Survey {
  const need = reservationOf(workspace);
  const open: Node[] = [];
  const closed: HostFinding[] = [];
  for (const node of nodes) {
    const refusal = unfit(node, workspace) ?? refusalOf(node, need, situation);
    if (refusal) closed.push({ nodeId: node.nodeId, name: node.name, ...refusal });
    else open.push(node);
  }
  return { open: ranked(open, workspace, situation), closed, situation, note: workspace.reservationNote };
}

/** Why this node is not for the workspace, whatever room it has. */
function unfit({ nodeId }: Node, workspace: Workspace): Refusal | undefined {
  const wanted = wantedNodeOf(workspace);
  if (wanted !== undefined && nodeId !== wanted)
    return { code: 'not_requested', reason: 'Another node was requested' };
  if (nodeId === workspace.eviction?.nodeId)
    return { code: 'evicted_here', reason: 'It was short of memory and evicted the workspace' };
  return undefined;
}

/** Only the first generation must run on the requested node. */
export const wantedNodeOf = ({ generation, wantedNodeId }: Workspace): string | undefined =>
  generation === 1 ? wantedNodeId : undefined;

function ranked(nodes: readonly Node[], workspace: Workspace, situation: Situation): readonly Node[] {
  const { strategy, limits } = situation;
  const need = reservationOf(workspace);
  const rank = rankOf(strategy);
  // The former node has its files.
  const has = ({ nodeId }: Node) => (nodeId === workspace.formerNodeId ? 1 : 0);
  const runs = ({ status }: Node) => (status === 'running' ? 1 : 0);
  return nodes
    .map((node) => ({ node, rank: rank(node, need, limits.offer.cpuOvercommit) }))
    .toSorted((a, b) => has(b.node) - has(a.node) || runs(b.node) - runs(a.node) || a.rank - b.rank)
    .map(({ node }) => node);
}

/** Why the node cannot take the workspace. */
function refusalOf(node: Node, need: Reservation, { limits, now }: Situation): Refusal | undefined {
  if (node.retiredFor === 'agent_build')
    return { code: 'other_agent_build', reason: 'Its agent is not of the current release' };
  if (node.retiredAt !== undefined) return { code: 'retired', reason: 'It accepts no further workspaces' };
  // A node that is being launched has no heartbeat yet.
  if (node.status !== 'provisioning') {
    const refusal = stateRefusal(node, limits, now);
    if (refusal) return refusal;
  }
  const obstacle = obstacleOn(node, need, limits.offer.cpuOvercommit);
  return obstacle && { code: obstacle, reason: inWords(obstacle, node, { need, limits }) };
}

function stateRefusal(node: Node, { saturationPercent }: PlacementLimits, now: Date): Refusal | undefined {
  if (node.status !== 'running') return { code: 'not_running', reason: `It is ${node.status}` };
  if (nodeHealth(node.lastHeartbeatAt, now) !== 'healthy')
    return { code: 'unhealthy', reason: 'It has sent no heartbeat for 3 minutes' };
  const saturated = saturatedOf(node, saturationPercent);
  if (!saturated) return undefined;
  const { resource, percent } = saturated;
  return {
    code: 'saturated',
    reason: `It uses ${Math.round(percent)} % of its ${resource} (limit ${saturationPercent} %)`,
  };
}

interface Sizes {
  readonly need: Reservation;
  readonly limits: PlacementLimits;
}

function inWords(obstacle: Obstacle, node: Node, { need, limits }: Sizes): string {
  const held = node.slots?.size ?? 0;
  if (obstacle === 'at_capacity') return `It holds ${held} workspaces (limit ${node.capacity})`;
  if (obstacle === 'exclusive') return 'The workspace, or one on the node, has exclusiveNode';
  if (obstacle === 'co_tenants')
    return `It holds ${held} workspaces, more than maxCoTenants of the workspace or of one on the node allows`;
  const { name, unit, size } = shown[obstacle];
  const free = size(freeOn(node, limits.offer.cpuOvercommit));
  return `It has ${free} ${unit}${name} left, and the workspace needs ${size(need)}`;
}

const shown = {
  cpu_full: { name: '', unit: 'vCPU', size: ({ cpuMillis }: Resources) => cpuMillis / 1_000 },
  memory_full: { name: ' of memory', unit: 'GB', size: ({ memoryMb }: Resources) => inGb(memoryMb) },
  disk_full: { name: ' of disk', unit: 'GB', size: ({ diskMb }: Resources) => inGb(diskMb) },
} as const;

type Choice =
  | { readonly outcome: 'running_node' | 'node_in_launch'; readonly node: Node }
  | { readonly outcome: 'new_node'; readonly nodeId: string; readonly instanceType: string }
  | { readonly outcome: 'waiting' };

/** What is stored with the workspace about this attempt. */
export function explain({ open, closed, situation, note }: Survey, choice: Choice): PlacementExplanation {
  const chosen = 'node' in choice ? choice.node : undefined;
  const others = open.filter((node) => node !== chosen).map((node) => passedOver(node, situation, choice));
  const all = [...(chosen ? [findingOf(chosen, situation)] : []), ...others, ...closed];
  return {
    at: situation.now.toISOString(),
    outcome: choice.outcome,
    nodeId: 'nodeId' in choice ? choice.nodeId : (chosen?.nodeId ?? null),
    instanceType: 'instanceType' in choice ? choice.instanceType : null,
    strategy: situation.strategy,
    hosts: all.slice(0, maxExplainedHosts),
    moreHosts: Math.max(0, all.length - maxExplainedHosts),
    ...(note === undefined ? {} : { note }),
  };
}

const findingOf = ({ nodeId, name }: Node, { strategy }: Situation): HostFinding => ({
  ...{ nodeId, name, code: 'chosen' },
  reason: `It has room and comes first (${strategy})`,
});

const passedOver = ({ nodeId, name }: Node, { strategy }: Situation, { outcome }: Choice): HostFinding =>
  outcome === 'waiting'
    ? {
        nodeId,
        name,
        code: 'kept_for_queue',
        reason: 'Its room is for workspaces that wait for a longer time',
      }
    : { nodeId, name, code: 'ranked_lower', reason: `It has room and comes later (${strategy})` };
