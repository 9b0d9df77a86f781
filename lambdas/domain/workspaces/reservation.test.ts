import { expect, it } from 'vitest';
import { containerLimitsOf } from './reservation.js';

it.each([
  [null, { cpuMillis: 2_000, memoryMb: 4_096, diskMb: 40_960 }],
  [{}, { cpuMillis: 2_000, memoryMb: 4_096, diskMb: 40_960 }],
  [{ minMemoryGb: 7.5 }, { cpuMillis: 2_000, memoryMb: 7_680, diskMb: 40_960 }],
  [
    { minVcpu: 0, minMemoryGb: 0, minDiskGb: 0 },
    { cpuMillis: 0, memoryMb: 0, diskMb: 0 },
  ],
  [
    { minVcpu: 1e300, minMemoryGb: 1e308, minDiskGb: 1e308 },
    { cpuMillis: 1_000_000_000, memoryMb: 1_000_000_000, diskMb: 1_000_000_000 },
  ],
  [
    { minVcpu: 1, exclusiveNode: true },
    { cpuMillis: 1_000_000_000, memoryMb: 1_000_000_000 },
  ],
])('limits containers for demands of %j', (resourceRequirements, expected) => {
  expect(containerLimitsOf({ resourceRequirements })).toEqual(expected);
});
