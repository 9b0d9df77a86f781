import { expect, it } from 'vitest';
import { summaryOf, unsupportedIn } from './chunk-summary.js';

const sample = (intervalMillis: number, figures: object = {}) => ({ t: 1, intervalMillis, ...figures });

it('has CPU time per second, means, peaks and totals', () => {
  const samples = [
    sample(0, { memoryBytes: 100, memoryPeakBytes: 500 }),
    sample(5_000, { memoryBytes: 200, cpuMillis: 5_000, ioReadBytes: 1, oomKill: 0 }),
    sample(15_000, { memoryBytes: 300, cpuMillis: 5_000, ioReadBytes: 2, oomKill: 2 }),
  ];

  expect(summaryOf(samples, 5_000)).toEqual({
    ...{ cpuMeanMillis: 500, cpuPeakMillis: 1_000, memoryMeanBytes: 200, memoryPeakBytes: 300 },
    ...{ memoryKernelPeakBytes: 500, ioReadBytes: 3, oomCount: 2 },
    ...{ sampleIntervalMillis: 5_000, weightedMeanWallMillis: 20_000 },
  });
});

it('names figures that the kernel does not offer, after the first sample', () => {
  const all = { cpuMillis: 1, memoryBytes: 1, memoryWorkingSetBytes: 1, ioReadBytes: 0, oomKill: 0 };

  expect(unsupportedIn([sample(0)])).toEqual([]);
  expect(unsupportedIn([sample(0), sample(5_000, all)])).toEqual(['memory_peak', 'pids']);
});
