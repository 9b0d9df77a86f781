import { expect, it } from 'vitest';
import { fits, type Offer, reservable, resourcesOf, typesFor } from './instance-types.js';

const [medium, large, xlarge] = [
  { name: 't4g.medium', vcpu: 2, memoryGb: 4, diskGb: 40 },
  { name: 't4g.large', vcpu: 2, memoryGb: 8, diskGb: 60 },
  { name: 't4g.xlarge', vcpu: 4, memoryGb: 16, diskGb: 140 },
] as const;
const offer: Offer = { types: [medium, large, xlarge], cpuOvercommit: 2 };
const need = (cpuMillis: number, memoryMb: number, diskMb: number) => ({ cpuMillis, memoryMb, diskMb });

it('keeps 512 MB and the disk of the image for the host', () => {
  expect(resourcesOf(large)).toEqual(need(2_000, 7_680, 48 * 1_024));
  expect(reservable(resourcesOf(large), 2)).toEqual(need(4_000, 7_680, 48 * 1_024));
});

it.each([
  [need(0, 0, 0), 't4g.medium'],
  [need(2_000, 3_584, 20_480), 't4g.medium'],
  [need(2_000, 3_585, 20_480), 't4g.large'],
  [need(2_000, 4_096, 40_960), 't4g.large'],
  [need(4_001, 1, 1), 't4g.xlarge'],
  [need(1, 1, 60 * 1_024), 't4g.xlarge'],
])('chooses for %j the smallest type that holds it', (wanted, name) => {
  expect(typesFor(wanted, offer)[0]?.name).toBe(name);
});

it('refuses what no type holds, and names the field and the largest type', () => {
  expect(() => typesFor(need(2_000, 64 * 1_024, 4_096), offer)).toThrow(
    expect.objectContaining({
      code: 'RESOURCES_TOO_LARGE',
      message: expect.stringContaining('t4g.xlarge, has 8 vCPU, 15.5 GB of memory and 128 GB of disk'),
      details: [{ field: 'resourceRequirements.minMemoryGb', message: 'Must be at most 15.5.' }],
    }),
  );
});

it('names the largest type wherever it is in the list', () => {
  const types = [
    { name: 'm.large', vcpu: 8, memoryGb: 32, diskGb: 100 },
    { name: 't.small', vcpu: 2, memoryGb: 4, diskGb: 60 },
  ];

  expect(() => typesFor(need(1_000, 64 * 1_024, 1), { types, cpuOvercommit: 2 })).toThrow(
    'The largest type, m.large, has',
  );
});

it('refuses amounts that exist, but in no one type', () => {
  const types = [
    { name: 'c.fast', vcpu: 16, memoryGb: 8, diskGb: 60 },
    { name: 'r.large', vcpu: 2, memoryGb: 64, diskGb: 60 },
  ];
  expect(() => typesFor(need(20_000, 32 * 1_024, 1), { types, cpuOvercommit: 2 })).toThrow(
    expect.objectContaining({
      details: [
        { field: 'resourceRequirements.minVcpu', message: 'Must be at most 32.' },
        { field: 'resourceRequirements.minMemoryGb', message: 'Must be at most 63.5.' },
        { field: 'resourceRequirements.minDiskGb', message: 'Must be at most 48.' },
      ],
    }),
  );
});

it('fits when each amount does', () => {
  expect(fits(need(1, 1, 1), need(1, 1, 1))).toBe(true);
  for (const room of [need(0, 1, 1), need(1, 0, 1), need(1, 1, 0)])
    expect(fits(need(1, 1, 1), room)).toBe(false);
});
