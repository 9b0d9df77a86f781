import { expect, it } from 'vitest';
import { reservationOf } from './reservation.js';

it.each([
  [null, { cpuMillis: 2_000, memoryMb: 4_096 }],
  [{}, { cpuMillis: 2_000, memoryMb: 4_096 }],
  [{ minMemoryGb: 7.5 }, { cpuMillis: 2_000, memoryMb: 7_680 }],
  [
    { minVcpu: 0, minMemoryGb: 0 },
    { cpuMillis: 0, memoryMb: 0 },
  ],
  [
    { minVcpu: 1e300, minMemoryGb: 1e308 },
    { cpuMillis: 1_000_000_000, memoryMb: 1_000_000_000 },
  ],
  [
    { minVcpu: 1, exclusiveNode: true },
    { cpuMillis: 1_000_000_000, memoryMb: 1_000_000_000 },
  ],
])('reserves for demands of %j', (resourceRequirements, expected) => {
  expect(reservationOf({ resourceRequirements })).toEqual(expected);
});
