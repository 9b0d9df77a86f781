import { expect, it } from 'vitest';
import { unmetRequirements } from './host-requirements.js';

const gibibyte = 2 ** 30;
const resources = {
  node: { processors: 4, memoryBytes: 15.5 * gibibyte },
  workspace: { processors: 2, memoryBytes: 4 * gibibyte },
  freeDiskBytes: 30 * gibibyte,
};

it.each([
  undefined,
  {},
  { cpus: 2, memory: '4gb', storage: '32gb' },
  { cpus: 1, memory: '4194304kb', storage: '31000MB' },
  { memory: '4294967296', gpu: true },
])('accepts %j', (requested) => {
  expect(unmetRequirements(requested, resources)).toEqual({ unmet: [], notes: [] });
});

it('names requirement, resources and setting when the workspace may use too little of its node', () => {
  expect(unmetRequirements({ cpus: 4, memory: '8gb' }, resources).unmet).toEqual([
    'The dev container requires 4 processors (hostRequirements.cpus). The node has 4 processors, and the workspace may use 2. Set minVcpu to 4 for the workspace.',
    'The dev container requires 8 GB of memory (hostRequirements.memory). The node has 15.5 GB, and the workspace may use 4 GB. Set minMemoryGb to 8 for the workspace.',
  ]);
});

it('asks for a larger node when the node has too little', () => {
  expect(unmetRequirements({ cpus: 8, memory: '32gb', storage: '1tb' }, resources).unmet).toEqual([
    expect.stringMatching(/Set minVcpu to 8, and use a larger node[.]$/),
    expect.stringMatching(/Set minMemoryGb to 32, and use a larger node[.]$/),
    'The dev container requires 1024 GB of storage (hostRequirements.storage). The disk of the node has 30 GB free. Set minDiskGb to 1024, and use a larger node.',
  ]);
});

it.each([
  [[], 'hostRequirements ignored'],
  [null, 'hostRequirements ignored'],
  ['8gb', 'hostRequirements ignored'],
  [{ cpus: '8' }, 'hostRequirements.cpus ignored: "8" is not a whole number'],
  [{ cpus: 0 }, 'is less than 1'],
  [{ cpus: 1e12 }, 'is too large'],
  [{ memory: 8 }, 'hostRequirements.memory ignored'],
  [{ memory: '-8gb' }, 'is not a size such as "8gb"'],
  [{ memory: '8 gb; rm -rf /' }, 'is not a size such as "8gb"'],
  [{ storage: '9'.repeat(1_000_000) }, 'is not a size such as "8gb"'],
])('leaves out %.60j', (requested, note) => {
  const { unmet, notes } = unmetRequirements(requested, resources);

  expect(unmet).toEqual([]);
  expect(notes).toEqual([expect.stringContaining(note)]);
  expect(notes[0]?.length).toBeLessThan(250);
});
