import { expect, it } from 'vitest';
import { HostRequirementsTooLarge } from './errors.js';
import type { Offer } from './instance-types.js';
import { raiseReservation } from './raise-reservation.js';
import { requestedReservation } from './reservation.js';

const offer: Offer = {
  types: [
    { name: 't4g.large', vcpu: 2, memoryGb: 8, diskGb: 60 },
    { name: 't4g.xlarge', vcpu: 4, memoryGb: 16, diskGb: 140 },
  ],
  cpuOvercommit: 2,
};
const gb = 2 ** 30;
const none = { cpus: null, memoryBytes: null, storageBytes: null };
const standard = requestedReservation(null);
const asked = requestedReservation({ minVcpu: 4, minMemoryGb: 2 });

it.each([
  ['no file', undefined],
  ['a file without requirements', none],
  ['less than the platform reserves', { cpus: 1, memoryBytes: 2 * gb, storageBytes: 10 * gb }],
])('%s leaves the reservation as it is', (_, required) => {
  expect(raiseReservation(standard, required, offer)).toEqual({ resolvedReservation: standard });
});

it('takes the larger amount of each of CPU, memory and disk, also of what a request states', () => {
  const required = { cpus: 3, memoryBytes: 8 * gb, storageBytes: 64 * gb };

  expect(raiseReservation(asked, required, offer)).toEqual({
    resolvedReservation: {
      ...asked,
      ...{ cpuMillis: 4_000, memoryMb: 8_192, diskMb: 65_536, source: 'devcontainer', sourceId: null },
    },
    reservationNote:
      'The dev container of the repository (hostRequirements) raises the reservation from 4 vCPU, 2 GB of memory and 40 GB of disk to 4 vCPU, 8 GB of memory and 64 GB of disk.',
  });
});

it('rounds a part of a megabyte up', () => {
  const { resolvedReservation } = raiseReservation(standard, { ...none, memoryBytes: 5 * gb + 1 }, offer);
  expect(resolvedReservation.memoryMb).toBe(5 * 1_024 + 1);
});

it('reserves 90 % of memory and disk when no type has all of them for workspaces', () => {
  const required = { cpus: 8, memoryBytes: 16 * gb, storageBytes: 140 * gb };
  expect(raiseReservation(standard, required, offer).resolvedReservation).toMatchObject({
    cpuMillis: 8_000,
    memoryMb: Math.ceil(16 * 1_024 * 0.9),
    diskMb: 140 * 1_024 * 0.9,
  });
});

it('keeps the reservation when 90 % of the requirement are not more', () => {
  const whole = requestedReservation({ minMemoryGb: 15 });
  expect(raiseReservation(whole, { ...none, memoryBytes: 16 * gb }, offer)).toEqual({
    resolvedReservation: whole,
  });
});

it.each([
  ['CPU', { ...none, cpus: 9 }, 'needs 9 vCPU, 4 GB of memory'],
  ['memory', { ...none, memoryBytes: 32 * gb }, 'needs 2 vCPU, 32 GB of memory'],
  ['disk', { ...none, storageBytes: 1_024 * gb }, '1024 GB of disk'],
  ['more than any machine', { ...none, memoryBytes: (10 ** 15 - 1) * 2 ** 40 }, 'GB of memory'],
])('refuses %s that no type has, and names the largest type', (_, required, words) => {
  const refused = () => raiseReservation(standard, required, offer);

  expect(refused).toThrow(HostRequirementsTooLarge);
  expect(refused).toThrow(
    expect.objectContaining({
      code: 'RESOURCES_TOO_LARGE',
      message: expect.stringContaining(words),
      details: [{ field: 'repository', message: expect.any(String) }],
    }),
  );
  expect(refused).toThrow('The largest type, t4g.xlarge, has 8 vCPU, 15.5 GB of memory and 128 GB of disk');
});
