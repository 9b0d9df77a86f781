import { expect, it } from 'vitest';
import { mergeCompleteness, mergeFigures, weightedFigures } from './merge-summary.js';

it('weights means by their time, takes the highest peaks and sums totals', () => {
  const long = weightedFigures(
    { cpuMeanMillis: 100, cpuPeakMillis: 900, ioReadBytes: 5, oomCount: 1, weightedMeanWallMillis: 3_000 },
    9_999,
  );
  const short = weightedFigures(
    { cpuMeanMillis: 500, cpuPeakMillis: 700, ioReadBytes: 6, memoryKernelPeakBytes: 4 },
    1_000,
  );

  expect(mergeFigures(long, short)).toEqual({
    figures: {
      cpuMeanMillis: 200,
      cpuPeakMillis: 900,
      memoryKernelPeakBytes: 4,
      ioReadBytes: 11,
      oomCount: 1,
      weightedMeanWallMillis: 3_000,
    },
    weights: { cpuMeanMillis: 4_000 },
  });
});

it('does not count figures that an older agent left out as 0', () => {
  const older = weightedFigures({ memoryMeanBytes: 10, memoryWorkingSetMeanBytes: null }, 1_000);
  const newer = weightedFigures({ memoryMeanBytes: 30, memoryWorkingSetMeanBytes: 8 }, 1_000);

  const { figures } = mergeFigures(mergeFigures(older, older), newer);

  expect(figures).toMatchObject({ memoryWorkingSetMeanBytes: 8 });
  expect(figures.memoryMeanBytes).toBeCloseTo(16.67, 1);
});

it('is the same in any order of three chunks', () => {
  const [a, b, c] = [1, 2, 3].map((value) =>
    weightedFigures({ memoryMeanBytes: value * 10, memoryPeakBytes: value, oomCount: value }, value * 1_000),
  );
  if (!a || !b || !c) throw new Error('Three chunks');

  expect(mergeFigures(mergeFigures(a, b), c)).toEqual(mergeFigures(mergeFigures(c, a), b));
});

it('is partial when one chunk is, with every figure that is not supported', () => {
  const partial = { status: 'partial', unsupported: ['io'] } as const;
  const complete = { status: 'complete', unsupported: ['pids', 'io'], source: 'cgroup-v2' } as const;

  const merged = { status: 'partial', source: 'cgroup-v2' };
  expect(
    mergeCompleteness({ ...partial, unsupported: ['io'] }, { ...complete, unsupported: ['pids'] }),
  ).toEqual({ ...merged, unsupported: ['io', 'pids'] });
  expect(mergeCompleteness({ status: 'complete' }, { status: 'complete' })).toEqual({ status: 'complete' });
});
