import { expect, it } from 'vitest';
import { ResourceSample } from '../../../protocol/resource-history.js';
import type { ControlGroupFigures } from './control-group.js';
import { ResourceSampler } from './resource-sampler.js';

const first = {
  cpuMillis: 100,
  ioReadBytes: 10,
  ioWriteBytes: 20,
  oomKill: 1,
  memoryBytes: 1000,
  pidsCurrent: 3,
};

function samplerOf(...reads: readonly (ControlGroupFigures | null)[]): ResourceSampler {
  const left = [...reads];
  return new ResourceSampler(
    { source: 'cgroup-v2', read: () => left.shift() ?? null, processes: () => [] },
    5_000,
  );
}
const at = (ms: number) => ({ wallMs: 1_000_000 + ms, monotonicMs: ms });

it('reports counters as changes and memory as it is', () => {
  const later = { ...first, cpuMillis: 350, ioReadBytes: 15, oomKill: 2, memoryBytes: 900 };
  const sampler = samplerOf(first, later);

  expect(sampler.take(at(0))?.sample).toEqual({
    t: 1_000_000,
    intervalMillis: 0,
    memoryBytes: 1000,
    pidsCurrent: 3,
  });
  const second = sampler.take(at(5_001));

  expect(second).toEqual({
    sample: {
      t: 1_005_001,
      intervalMillis: 5_001,
      cpuMillis: 250,
      ioReadBytes: 5,
      ioWriteBytes: 0,
      oomKill: 1,
      memoryBytes: 900,
      pidsCurrent: 3,
    },
  });
  expect(ResourceSample.parse(second?.sample)).toEqual(second?.sample);
});

it('marks a gap after more than two intervals, without samples in between', () => {
  const sampler = samplerOf(first, first, { ...first, cpuMillis: 400 });
  sampler.take(at(0));

  expect(sampler.take(at(10_000))?.gap).toBeUndefined();
  expect(sampler.take(at(20_001))).toMatchObject({
    sample: { intervalMillis: 10_001, cpuMillis: 300, gap: true },
    gap: { startedAt: 1_010_000, endedAt: 1_020_001, reason: 'sampler_delay' },
  });
});

it('marks a counter that went back and leaves its change out', () => {
  const sampler = samplerOf(first, { ...first, cpuMillis: 5, ioReadBytes: 12 });
  sampler.take(at(0));

  const sample = sampler.take(at(5_000))?.sample;

  expect(sample).toMatchObject({ counterReset: true, ioReadBytes: 2 });
  expect(sample).not.toHaveProperty('cpuMillis');
});

it('measures periods correctly when the wall clock is set back', () => {
  const sampler = samplerOf(first, first);
  sampler.take(at(0));

  const taken = sampler.take({ wallMs: 500, monotonicMs: 5_000 });

  expect(taken?.sample).toMatchObject({ t: 500, intervalMillis: 5_000 });
  expect(taken?.gap).toBeUndefined();
});

it('returns null when the container has ended', () => {
  expect(samplerOf().take(at(0))).toBeNull();
});
