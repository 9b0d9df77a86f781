import { expect, it } from 'vitest';
import { readHostRequirements } from './host-requirements.js';

const none = { cpus: null, memoryBytes: null, storageBytes: null };

it.each([
  [undefined, {}],
  [{}, {}],
  [{ cpus: 4, gpu: true }, { cpus: 4 }],
  [
    { memory: '8gb', storage: '1TB' },
    { memoryBytes: 8 * 2 ** 30, storageBytes: 2 ** 40 },
  ],
  [
    { memory: '512mb', storage: '4096kb' },
    { memoryBytes: 2 ** 29, storageBytes: 2 ** 22 },
  ],
  [{ memory: '4294967296' }, { memoryBytes: 2 ** 32 }],
])('reads %j', (value, expected) => {
  expect(readHostRequirements(value)).toEqual({ requirements: { ...none, ...expected }, notes: [] });
});

it.each([
  ['8gb'],
  [[]],
  [null],
  [{ cpus: -1 }],
  [{ cpus: 0 }],
  [{ cpus: 2.5 }],
  [{ cpus: Number.NaN }],
  [{ cpus: 1e300 }],
  [{ cpus: '4' }],
  [{ memory: 8 }],
  [{ memory: '-8gb' }],
  [{ memory: '8 gb' }],
  [{ memory: '1e9gb' }],
  [{ memory: '8gib' }],
  [{ storage: '9'.repeat(1_000_000) }],
  [{ storage: { toString: 'x' } }],
])('ignores %.60j with a note', (value) => {
  const { requirements, notes } = readHostRequirements(value);
  expect(requirements).toEqual(none);
  expect(notes).toEqual([expect.stringContaining('ignored')]);
});
