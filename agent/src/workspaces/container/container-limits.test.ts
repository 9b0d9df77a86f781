import { expect, it } from 'vitest';
import { limitsOf } from './container-limits.js';

const gib = 2 ** 30;
const node = { processors: 4, memoryBytes: 16 * gib };

it('gives a workspace what is reserved for it, and no swap', () => {
  expect(limitsOf({ cpuMillis: 1_500, memoryMb: 3_072 }, node)).toEqual({
    Memory: 3 * gib,
    MemorySwap: 3 * gib,
    NanoCpus: 1_500_000_000,
    PidsLimit: 6_144,
  });
});

it('gives a workspace without a reservation half of the node', () => {
  expect(limitsOf(undefined, node)).toMatchObject({ Memory: 7.75 * gib, NanoCpus: 2_000_000_000 });
  expect(limitsOf({ cpuMillis: 0, memoryMb: 0 }, node)).toEqual(limitsOf(undefined, node));
});

it('keeps the memory of the node itself, and asks for no processor that is not there', () => {
  expect(limitsOf({ cpuMillis: 64_000, memoryMb: 65_536 }, node)).toEqual({
    Memory: 15.5 * gib,
    MemorySwap: 15.5 * gib,
    NanoCpus: 4_000_000_000,
    PidsLimit: 8_192,
  });
});

it('makes no workspace too small for a shell', () => {
  expect(limitsOf({ cpuMillis: 1, memoryMb: 1 }, node)).toMatchObject({
    Memory: gib / 2,
    NanoCpus: 250_000_000,
    PidsLimit: 1_024,
  });
});
