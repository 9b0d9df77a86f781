import * as z from 'zod/mini';
import { layerNames, platformResources } from '../launch/launch-layer.js';
import { Resources } from './instance-types.js';

/** What a workspace takes of its node, and with how many others it shares it. */
export const Reservation = z.object({
  ...Resources.shape,
  exclusiveNode: z.boolean(),
  maxCoTenants: z.int(),
});
export type Reservation = z.infer<typeof Reservation>;

/** A reservation with the layer of the launch settings that it comes from. */
export const ResolvedReservation = z.object({
  ...Reservation.shape,
  /**
   * The strongest layer that decided a field; `devcontainer` when its repository raises one,
   * `eviction` when it ran out of memory.
   */
  source: z.enum([...layerNames, 'devcontainer', 'eviction']),
  sourceId: z.nullable(z.string()),
  version: z.literal(1),
});
export type ResolvedReservation = z.infer<typeof ResolvedReservation>;

interface Requirements {
  readonly minVcpu?: number | undefined;
  readonly minMemoryGb?: number | undefined;
  readonly minDiskGb?: number | undefined;
  readonly exclusiveNode?: boolean | undefined;
  readonly maxCoTenants?: number | undefined;
}

/** The requirements, and the figures of the platform for the others. */
export function reservationFor(requirements: Requirements): Reservation {
  const {
    minVcpu = platformResources.minVcpu,
    minMemoryGb = platformResources.minMemoryGb,
    minDiskGb = platformResources.minDiskGb,
    exclusiveNode = platformResources.exclusiveNode,
    maxCoTenants = platformResources.maxCoTenants,
  } = requirements;
  return {
    cpuMillis: amount(minVcpu, 1_000),
    memoryMb: amount(minMemoryGb, 1_024),
    diskMb: amount(minDiskGb, 1_024),
    exclusiveNode,
    maxCoTenants,
  };
}

/** The reservation of a workspace whose request names its requirements itself. */
export function requestedReservation(requirements: Requirements | null): ResolvedReservation {
  const asked = Object.values(requirements ?? {}).some((value) => value !== undefined);
  return {
    ...reservationFor(requirements ?? {}),
    source: asked ? 'request' : 'platform',
    sourceId: null,
    version: 1,
  };
}

/** More than any machine has; the sum of several is still exact. */
export const mostReserved = 1_000_000_000;
const amount = (wanted: number, factor: number): number => Math.min(Math.ceil(wanted * factor), mostReserved);
