import { describe, expect, it } from 'vitest';
import { aNode } from '../../../test/support/records.js';
import { resourcesOf } from './instance-types.js';
import type { Node } from './node.js';
import { type placementStrategies, rankOf } from './placement-strategy.js';
import { reservationFor } from './reservation.js';
import { placesOn, projectedLoad, saturatedOf } from './room.js';

const xlarge = resourcesOf({ name: 't4g.xlarge', vcpu: 4, memoryGb: 16, diskGb: 140 });
const standard = reservationFor({});

/** A node that holds workspaces with these requirements. */
function holding(all: readonly Parameters<typeof reservationFor>[0][], more: Partial<Node> = {}): Node {
  const reservations = Object.fromEntries(all.map((each, index) => [`W${index}#1`, reservationFor(each)]));
  const slots = Object.keys(reservations);
  return aNode({
    ...{ capacity: 10, resources: xlarge, reservations },
    ...(slots.length > 0 ? { slots: new Set(slots) } : {}),
    ...more,
  });
}

describe('room on a node', () => {
  it.each([
    ['memory', {}, {}, 3],
    ['CPU, of which twice as much is reserved', { minVcpu: 4, minMemoryGb: 1, minDiskGb: 1 }, {}, 2],
    ['disk', { minVcpu: 1, minMemoryGb: 1, minDiskGb: 60 }, {}, 2],
    ['its capacity', { minVcpu: 0, minMemoryGb: 0, minDiskGb: 0, maxCoTenants: 100 }, {}, 10],
    ['the wish for few others', { minMemoryGb: 1, minDiskGb: 1, minVcpu: 1, maxCoTenants: 1 }, {}, 2],
    ['the wish for none', { exclusiveNode: true }, {}, 1],
    ['its capacity alone, before it has figures', {}, { resources: undefined, capacity: 3 }, 3],
  ])('is limited by %s', (_, wanted, more, places) => {
    const { resources, ...rest } = { resources: xlarge, ...more };
    const node = aNode({ capacity: 10, ...(resources ? { resources } : {}), ...rest });
    expect(placesOn(node, reservationFor(wanted), 2)).toBe(places);
  });

  it('is what the others leave, with what they accept', () => {
    const small = reservationFor({ minVcpu: 1, minMemoryGb: 1, minDiskGb: 1 });
    expect(placesOn(holding([{ minMemoryGb: 12 }]), standard, 2)).toBe(0);
    expect(placesOn(holding([{ minMemoryGb: 12 }]), small, 2)).toBe(3);
    expect(placesOn(holding([{ exclusiveNode: true }]), small, 2)).toBe(0);
    expect(placesOn(holding([{ maxCoTenants: 1 }]), small, 2)).toBe(1);
    expect(placesOn(holding([{}]), reservationFor({ exclusiveNode: true }), 2)).toBe(0);
  });

  it('counts a slot without a reservation with the figures of the platform', () => {
    const node = holding([], { slots: new Set(['OLD#1', 'OLD#2']) });
    expect(placesOn(node, standard, 2)).toBe(1);
  });

  it('does not count a reservation whose slot was released', () => {
    expect(placesOn(holding([{ exclusiveNode: true }], { slots: new Set() }), standard, 2)).toBe(3);
  });
});

it('measures the load by the fullest of CPU, memory and disk', () => {
  expect(projectedLoad(holding([]), reservationFor({ minMemoryGb: 15.5 }), 2)).toBe(1);
  expect(projectedLoad(holding([]), reservationFor({ minVcpu: 4, minMemoryGb: 1, minDiskGb: 1 }), 2)).toBe(
    0.5,
  );
});

it.each([
  [{}, undefined],
  [{ memoryPercent: 90 }, 'memory'],
  [{ diskPercent: 95 }, 'disk'],
  [{ cpuLoadAvg1: 3.6 }, 'CPU'],
  [{ cpuLoadAvg1: 3.5, memoryPercent: 89.9, diskPercent: 89 }, undefined],
])('reads from %j whether a node is saturated', (metrics, expected) => {
  const none = { version: 1, cpuLoadAvg1: 0, memoryPercent: 0, diskPercent: 0 } as const;
  const lastMetrics = { ...none, creatingWorkspaces: 0, containers: [], ...metrics };
  expect(saturatedOf(aNode({ resources: xlarge, lastMetrics }), 90)?.resource).toBe(expected);
});

describe('the order of nodes with room', () => {
  const nodes = {
    smallFull: holding([{}], { resources: resourcesOf({ name: 's', vcpu: 4, memoryGb: 9, diskGb: 100 }) }),
    bigWithOne: holding([{ minMemoryGb: 6 }]),
    bigWithTwo: holding([
      { minMemoryGb: 1, minVcpu: 1, minDiskGb: 1 },
      { minMemoryGb: 1, minVcpu: 1, minDiskGb: 1 },
    ]),
  };
  const ordered = (strategy: (typeof placementStrategies)[number]) => {
    const rank = rankOf(strategy);
    return Object.entries(nodes)
      .toSorted(([, one], [, other]) => rank(one, standard, 2) - rank(other, standard, 2))
      .map(([name]) => name);
  };

  it.each([
    ['balanced', ['bigWithTwo', 'bigWithOne', 'smallFull']],
    ['pack', ['smallFull', 'bigWithOne', 'bigWithTwo']],
    ['spread', ['smallFull', 'bigWithOne', 'bigWithTwo']],
    ['smallest-fit', ['smallFull', 'bigWithOne', 'bigWithTwo']],
  ] as const)('is by %s', (strategy, expected) => {
    expect(ordered(strategy)).toEqual(expected);
  });
});
