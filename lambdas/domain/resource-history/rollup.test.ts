import { expect, it } from 'vitest';
import { ResourceRollup } from '../../../protocol/resource-history-reads.js';
import { rollupOf } from './rollup.js';

const minute = 60_000;
const sampleAt = (t: number, figures: object = {}) => ({ t, intervalMillis: 5_000, ...figures });
const spanAt = (startedAt: number) => ({ id: '0'.repeat(16), kind: 'read' as const, startedAt });

it('has a bucket for each minute with means, peaks and totals', () => {
  const samples = [
    sampleAt(5_000, { cpuMillis: 5_000, memoryBytes: 100, memoryWorkingSetBytes: 50, ioReadBytes: 1 }),
    sampleAt(10_000, { cpuMillis: 10_000, memoryBytes: 300, ioReadBytes: 2, oomKill: 1 }),
    sampleAt(65_000, { memoryBytes: 10, ioWriteBytes: 4 }),
  ];

  const rollup = rollupOf(
    { samples, toolSpans: [spanAt(0), spanAt(61_000), spanAt(62_000)] },
    { startedAt: 0, endedAt: 2.5 * minute },
  );

  expect(ResourceRollup.parse(rollup)).toEqual({
    v: 1,
    bucketMs: minute,
    start: [0, minute, 2 * minute],
    end: [minute, 2 * minute, 2.5 * minute],
    samples: [2, 1, 0],
    cpuMeanCores: [1.5, null, null],
    cpuMaxCores: [2, null, null],
    memoryMeanBytes: [200, 10, null],
    memoryMaxBytes: [300, 10, null],
    workingSetMeanBytes: [50, null, null],
    workingSetMaxBytes: [50, null, null],
    ioReadBytes: [3, null, null],
    ioWriteBytes: [null, 4, null],
    oomKills: [1, null, null],
    toolCallStarts: [1, 2, 0],
  });
});

it('counts a sample to the minute that it measured', () => {
  const samples = [sampleAt(minute), sampleAt(minute + 1)];

  expect(rollupOf({ samples, toolSpans: [] }, { startedAt: 0, endedAt: 2 * minute }).samples).toEqual([1, 1]);
});

it('counts samples outside of the chunk to its edges, and no tool call that began before it', () => {
  const samples = [sampleAt(0), sampleAt(9 * minute)];

  const rollup = rollupOf(
    { samples, toolSpans: [spanAt(0), spanAt(9 * minute)] },
    { startedAt: 2 * minute, endedAt: 4 * minute },
  );

  expect(rollup.samples).toEqual([1, 1]);
  expect(rollup.toolCallStarts).toEqual([0, 1]);
});

it.each([
  [0, 1, minute],
  [60 * minute, 60, minute],
  [60 * minute + 1, 31, 2 * minute],
  [24 * 60 * minute, 60, 24 * minute],
])('of %i ms has %i buckets', (endedAt, count, bucketMs) => {
  const rollup = rollupOf({ samples: [], toolSpans: [] }, { startedAt: 0, endedAt });

  expect(rollup.start).toHaveLength(count);
  expect(rollup.bucketMs).toBe(bucketMs);
  expect(ResourceRollup.safeParse(rollup).success).toBe(true);
});
