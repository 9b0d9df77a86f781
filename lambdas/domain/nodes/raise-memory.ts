import { inGb, type Offer, reservable, resourcesOf, typesHolding } from './instance-types.js';
import type { ResolvedReservation } from './reservation.js';

interface RaisedMemory {
  readonly resolvedReservation: ResolvedReservation;
  readonly reservationNote: string;
}

/**
 * One size more memory for a workspace that ran out of it: twice as much, or the most that a type
 * of the deployment has for it.
 */
export function raiseMemory(base: ResolvedReservation, offer: Offer): RaisedMemory {
  const memoryMb = Math.max(base.memoryMb, Math.min(base.memoryMb * 2, mostMemory(base, offer)));
  const now = `${inGb(memoryMb)} GB`;
  if (memoryMb === base.memoryMb)
    return {
      resolvedReservation: base,
      reservationNote: `The workspace ran out of memory. No node of this deployment has more than its ${now}.`,
    };
  return {
    resolvedReservation: { ...base, memoryMb, source: 'eviction', sourceId: null },
    reservationNote: `The workspace ran out of memory: its memory is raised from ${inGb(base.memoryMb)} GB to ${now}.`,
  };
}

/** Of the types that hold the rest of the reservation. */
function mostMemory(base: ResolvedReservation, offer: Offer): number {
  const types = typesHolding({ ...base, memoryMb: 0 }, offer);
  return Math.max(0, ...types.map((type) => reservable(resourcesOf(type), offer.cpuOvercommit).memoryMb));
}
