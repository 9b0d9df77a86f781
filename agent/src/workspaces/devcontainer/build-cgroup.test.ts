import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folder as makeGroup, sliceFolder, sliceProperties } from './build-cgroup.js';
import { type CgroupRoot, hasLimits, limitFiles } from './cgroup-limits.js';

const limits = { Memory: 2 ** 29, MemorySwap: 2 ** 29, NanoCpus: 1.5e9, CpuShares: 300, PidsLimit: 200 };

describe('the control group of a build', () => {
  let place: string;

  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'cgroups-'));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  it('has all limits with control groups of version 1', async () => {
    const root: CgroupRoot = { folder: place, version: '1' };

    const group = await makeGroup(root, 'a', limits);

    const read = (path: string) => readFileSync(join(place, path), 'utf8');
    expect(group).toMatchObject({ parent: '/svc-builds/a', limitedPath: '/svc-builds/a' });
    expect({
      memory: read('memory/svc-builds/a/memory.limit_in_bytes'),
      swap: read('memory/svc-builds/a/memory.memsw.limit_in_bytes'),
      period: read('cpu/svc-builds/a/cpu.cfs_period_us'),
      quota: read('cpu/svc-builds/a/cpu.cfs_quota_us'),
      processes: read('pids/svc-builds/a/pids.max'),
    }).toEqual({
      memory: '536870912',
      swap: '536870912',
      period: '100000',
      quota: '150000',
      processes: '200',
    });
  });

  it('has all limits with control groups of version 2', async () => {
    const root: CgroupRoot = { folder: place, version: '2' };

    const group = await makeGroup(root, 'a', limits);

    const read = (name: string) => readFileSync(join(place, 'svc-builds', name), 'utf8');
    expect(group.limitedPath).toBe('/svc-builds/a');
    expect(read('cgroup.subtree_control')).toBe('+memory +cpu +pids');
    expect(['memory.max', 'memory.swap.max', 'cpu.max', 'pids.max'].map((name) => read(`a/${name}`))).toEqual(
      ['536870912', '0', '150000 100000', '200'],
    );
  });

  it.each(['1', '2'] as const)(
    'is not for BuildKit when a limit of version %s is missing',
    async (version) => {
      const root: CgroupRoot = { folder: place, version };
      for (const { path } of limitFiles(root, '/g', limits)) {
        for (const { path: other, value } of limitFiles(root, '/g', limits)) {
          mkdirSync(dirname(other), { recursive: true });
          writeFileSync(other, `${value}\n`);
        }
        expect(await hasLimits(root, '/g', limits)).toBe(true);
        writeFileSync(path, 'max\n');
        expect(await hasLimits(root, '/g', limits)).toBe(false);
        rmSync(path);
        expect(await hasLimits(root, '/g', limits)).toBe(false);
      }
    },
  );

  it('limits processes only where the kernel counts no swap', async () => {
    const root: CgroupRoot = { folder: place, version: '1' };
    const isWithSwap = ({ path }: { readonly path: string }) => path.endsWith('memsw.limit_in_bytes');
    const swap = limitFiles(root, '/svc-builds/a', limits).find(isWithSwap)?.path ?? '';
    mkdirSync(dirname(swap), { recursive: true });
    // The kernel has no such file: it cannot be written.
    symlinkSync('/does/not/exist', swap);

    expect(await makeGroup(root, 'a', limits)).toMatchObject({
      parent: '/svc-builds/a',
      limitedPath: null,
    });
  });

  it('is removed with the groups of its steps', async () => {
    const root: CgroupRoot = { folder: place, version: '1' };
    const step = join(place, 'devices/svc-builds/a/buildkit/step');
    const group = await makeGroup(root, 'a', limits);
    mkdirSync(step, { recursive: true });
    // Unlike other folders, groups can be removed with the files of the kernel in them.
    for (const hierarchy of ['memory', 'cpu', 'pids']) rmSync(join(place, hierarchy), { recursive: true });

    await group[Symbol.asyncDispose]();

    expect(existsSync(join(place, 'devices/svc-builds/a'))).toBe(false);
  });

  it('is a slice in the slices of its name', () => {
    expect(sliceFolder('svc-build-01abc.slice')).toBe('/svc.slice/svc-build.slice/svc-build-01abc.slice');
    expect(sliceProperties(limits)).toEqual([
      'MemoryMax=536870912',
      'MemorySwapMax=0',
      'CPUQuota=150%',
      'TasksMax=200',
    ]);
  });
});
