import { describe, expect, it } from 'vitest';
import type { Offer } from './instance-types.js';
import { raiseMemory } from './raise-memory.js';
import { requestedReservation } from './reservation.js';

const offer: Offer = {
  types: [
    { name: 'small', vcpu: 2, memoryGb: 8, diskGb: 100 },
    { name: 'large', vcpu: 4, memoryGb: 16, diskGb: 100 },
  ],
  cpuOvercommit: 1,
};
const raise = (minMemoryGb: number, minVcpu = 1) =>
  raiseMemory(requestedReservation({ minMemoryGb, minVcpu }), offer);

describe('raiseMemory', () => {
  it('doubles the memory and says so', () => {
    const { resolvedReservation, reservationNote } = raise(4);

    expect(resolvedReservation).toMatchObject({ memoryMb: 8_192, cpuMillis: 1_000, source: 'eviction' });
    expect(reservationNote).toBe('The workspace ran out of memory: its memory is raised from 4 GB to 8 GB.');
  });

  it('takes the most that a type has', () => {
    expect(raise(10).resolvedReservation.memoryMb).toBe(16 * 1_024 - 512);
  });

  it('stays as it is when no type has more', () => {
    const most = (16 * 1_024 - 512) / 1_024;

    const { resolvedReservation, reservationNote } = raise(most);
    expect(resolvedReservation).toMatchObject({ memoryMb: most * 1_024, source: 'request' });
    expect(reservationNote).toContain('No node of this deployment has more');
    expect(raise(4, 9).resolvedReservation.memoryMb).toBe(4_096);
  });
});
