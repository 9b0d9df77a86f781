import * as z from 'zod/mini';
import { resourceNames } from './instance-types.js';
import type { Node } from './node.js';
import type { Reservation } from './reservation.js';
import { projectedLoad } from './room.js';

/** The order in which nodes that have room are tried. */
export const placementStrategies = ['balanced', 'pack', 'spread', 'smallest-fit'] as const;
export const PlacementStrategy = z.enum(placementStrategies);
export type PlacementStrategy = z.infer<typeof PlacementStrategy>;

/** The node with the lowest figure is tried first. */
type Rank = (node: Node, need: Reservation, cpuOvercommit: number) => number;

const ranks: Readonly<Record<PlacementStrategy, Rank>> = {
  balanced: projectedLoad,
  pack: (...given) => -projectedLoad(...given),
  spread: ({ slots }) => slots?.size ?? 0,
  'smallest-fit': ({ resources, capacity }) =>
    resources ? Math.max(...resourceNames.map((name) => resources[name] / reference[name])) : capacity,
};

/** Makes CPU, memory and disk comparable: one workspace of the platform's figures. */
const reference = { cpuMillis: 2_000, memoryMb: 4_096, diskMb: 40_960 } as const;

export const rankOf = (strategy: PlacementStrategy): Rank => ranks[strategy];
