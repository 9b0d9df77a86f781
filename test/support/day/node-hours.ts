import { limits } from '../records.js';
import { type Plan, type Stay, staysOf } from './plans.js';

/**
 * A lower bound of the minutes of nodes. At each minute a person needs as many nodes as hold the
 * workspaces that the idle rules keep, and the node rule keeps each of them for the warm time after
 * its last workspace left: no placement, however much it knows of the day, needs fewer. Launches,
 * stops and the sweep take no time.
 */
export function leastMinutes(plans: readonly Plan[]): number {
  const ofPerson = Map.groupBy(plans, ({ owner }) => owner);
  return [...ofPerson].reduce(
    (sum, [{ warmMinutes }, own]) => sum + leastOfPerson(own.flatMap(staysOf), warmMinutes),
    0,
  );
}

function leastOfPerson(stays: readonly Stay[], warmMinutes: number): number {
  const end = Math.max(...stays.map(({ to }) => to)) + warmMinutes;
  const needed = Array.from({ length: end }, (_, minute) => nodesFor(stays, minute));
  const kept = needed.map((_, minute) =>
    Math.max(...needed.slice(Math.max(0, minute - warmMinutes), minute + 1)),
  );
  return kept.reduce((sum, nodes) => sum + nodes, 0);
}

function nodesFor(stays: readonly Stay[], minute: number): number {
  const held = stays.filter(({ from, to }) => from <= minute && minute < to).length;
  return Math.ceil(held / limits.nodeCapacity);
}
