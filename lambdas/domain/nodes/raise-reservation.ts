import type { HostRequirements } from '../../../protocol/host-requirements.js';
import { HostRequirementsTooLarge } from './errors.js';
import {
  inWords,
  noTypeInWords,
  type Offer,
  type Resources,
  resourceNames,
  typesHolding,
} from './instance-types.js';
import { mostReserved, type ResolvedReservation } from './reservation.js';

interface Raised {
  readonly resolvedReservation: ResolvedReservation;
  /** Why it is more than the launch settings request. */
  readonly reservationNote?: string;
}

/** A machine of 8 GB has less for workspaces. The node agent has the same tolerance. */
const tolerance = 0.9;

/**
 * The reservation with at least what the dev container of the repository requires: the larger
 * amount of CPU, of memory and of disk. Memory and disk are 90 % of it when no type has all.
 *
 * @throws {HostRequirementsTooLarge} no type holds that
 */
export function raiseReservation(
  base: ResolvedReservation,
  required: HostRequirements | undefined,
  offer: Offer,
): Raised {
  const full = larger(base, amountsOf(required));
  if (!isMore(full, base)) return { resolvedReservation: base };
  const reduced = larger(base, amountsOf(required, tolerance));
  const raised = [full, reduced].find((amounts) => typesHolding(amounts, offer).length > 0);
  if (!raised) throw tooLarge(full, offer);
  if (!isMore(raised, base)) return { resolvedReservation: base };
  return {
    resolvedReservation: { ...base, ...raised, source: 'devcontainer', sourceId: null },
    reservationNote: `The dev container of the repository (hostRequirements) raises the reservation from ${inWords(base)} to ${inWords(raised)}.`,
  };
}

function tooLarge(wanted: Resources, offer: Offer): HostRequirementsTooLarge {
  const needs = `The workspace needs ${inWords(wanted)} because of the dev container of the repository (hostRequirements).`;
  return new HostRequirementsTooLarge(
    `${needs} ${noTypeInWords(offer)} Lower hostRequirements in devcontainer.json, or ask the operator for a larger type.`,
    [{ field: 'repository', message: 'Its dev container requires more than a node can have.' }],
  );
}

/** Bounded, so that the sum of several is exact. */
function amountsOf(required: HostRequirements | undefined, share = 1): Resources {
  const amount = (stated: number | null | undefined, size: number) =>
    Math.min(Math.ceil((stated ?? 0) / size), mostReserved);
  return {
    cpuMillis: amount(required?.cpus, 1 / 1_000),
    memoryMb: amount(required?.memoryBytes, 2 ** 20 / share),
    diskMb: amount(required?.storageBytes, 2 ** 20 / share),
  };
}

const larger = (a: Resources, b: Resources): Resources => ({
  cpuMillis: Math.max(a.cpuMillis, b.cpuMillis),
  memoryMb: Math.max(a.memoryMb, b.memoryMb),
  diskMb: Math.max(a.diskMb, b.diskMb),
});

const isMore = (a: Resources, b: Resources): boolean => resourceNames.some((name) => a[name] > b[name]);
