import { type Resources, reservable, resourceNames } from './instance-types.js';
import type { Node } from './node.js';
import { type Reservation, reservationFor } from './reservation.js';

type Host = Pick<Node, 'capacity' | 'slots' | 'reservations' | 'resources'>;

/** A slot from before reservations takes the figures of the platform. */
const unknown = reservationFor({});

/** What each workspace on the node takes. */
const tenantsOf = ({ slots = new Set(), reservations = {} }: Host): readonly Reservation[] =>
  [...slots].map((slot) => reservations[slot] ?? unknown);

const sum = (all: readonly Resources[], name: keyof Resources): number =>
  all.reduce((total, each) => total + each[name], 0);

/** Why a node has no room for a workspace. */
export type Obstacle = 'at_capacity' | 'exclusive' | 'co_tenants' | `${'cpu' | 'memory' | 'disk'}_full`;

/** How many more workspaces of this reservation the node can take. */
export function placesOn(node: Host, need: Reservation, cpuOvercommit: number): number {
  const tenants = [...tenantsOf(node)];
  const before = tenants.length;
  while (obstacleTo({ node, tenants, need, cpuOvercommit }) === undefined) tenants.push(need);
  return tenants.length - before;
}

/** The first reason why the node has no room for the workspace. */
export const obstacleOn = (node: Host, need: Reservation, cpuOvercommit: number): Obstacle | undefined =>
  obstacleTo({ node, tenants: tenantsOf(node), need, cpuOvercommit });

interface Room {
  readonly node: Host;
  readonly tenants: readonly Reservation[];
  readonly need: Reservation;
  readonly cpuOvercommit: number;
}

const obstacleOf = { cpuMillis: 'cpu_full', memoryMb: 'memory_full', diskMb: 'disk_full' } as const;

function obstacleTo({ node, tenants, need, cpuOvercommit }: Room): Obstacle | undefined {
  const { capacity, resources } = node;
  const all = [...tenants, need];
  if (all.length > capacity) return 'at_capacity';
  if (all.length > 1 && all.some(({ exclusiveNode }) => exclusiveNode)) return 'exclusive';
  if (all.some(({ maxCoTenants }) => all.length > 1 + maxCoTenants)) return 'co_tenants';
  // A node that was launched before it had figures has its capacity only.
  if (resources === undefined) return undefined;
  const [taken, room] = [total(all), reservable(resources, cpuOvercommit)];
  const missing = resourceNames.find((name) => taken[name] > room[name]);
  return missing && obstacleOf[missing];
}

const total = (all: readonly Resources[]): Resources => ({
  cpuMillis: sum(all, 'cpuMillis'),
  memoryMb: sum(all, 'memoryMb'),
  diskMb: sum(all, 'diskMb'),
});

/** What may still be reserved on a node that has figures. */
export function freeOn(node: Host, cpuOvercommit: number): Resources {
  const room = node.resources ? reservable(node.resources, cpuOvercommit) : total([]);
  const taken = total(tenantsOf(node));
  return {
    cpuMillis: room.cpuMillis - taken.cpuMillis,
    memoryMb: room.memoryMb - taken.memoryMb,
    diskMb: room.diskMb - taken.diskMb,
  };
}

/** How full the node is with this workspace: the fullest of CPU, memory and disk, from 0 to 1. */
export function projectedLoad(node: Host, need: Reservation, cpuOvercommit: number): number {
  const all = [...tenantsOf(node), need];
  if (node.resources === undefined) return all.length / node.capacity;
  const [taken, room] = [total(all), reservable(node.resources, cpuOvercommit)];
  return Math.max(...resourceNames.map((name) => taken[name] / room[name]));
}

/**
 * What the node reported as saturated last. A load above its number of CPUs means that work waits.
 */
export function saturatedOf(
  { lastMetrics, resources }: Pick<Node, 'lastMetrics' | 'resources'>,
  saturationPercent: number,
): { readonly resource: 'CPU' | 'memory' | 'disk'; readonly percent: number } | undefined {
  if (lastMetrics === null) return undefined;
  const { cpuLoadAvg1, memoryPercent, diskPercent } = lastMetrics;
  const cpuPercent = resources ? (cpuLoadAvg1 * 100_000) / resources.cpuMillis : 0;
  const used = [
    { resource: 'CPU', percent: cpuPercent },
    { resource: 'memory', percent: memoryPercent },
    { resource: 'disk', percent: diskPercent },
  ] as const;
  return used.find(({ percent }) => percent >= saturationPercent);
}
