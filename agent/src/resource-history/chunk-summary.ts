import type {
  ResourceSample,
  ResourceSummary,
  UnsupportedFigure,
} from '../../../protocol/resource-history.js';

type Figure =
  | 'cpuMillis'
  | 'memoryBytes'
  | 'memoryWorkingSetBytes'
  | 'memoryPeakBytes'
  | 'ioReadBytes'
  | 'ioWriteBytes'
  | 'oomKill'
  | 'pidsCurrent';

const valuesOf = (samples: readonly ResourceSample[], name: Figure): number[] =>
  samples.flatMap((sample) => sample[name] ?? []);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const most = (values: readonly number[]): number => values.reduce((one, other) => Math.max(one, other), 0);

/** CPU figures are milliseconds of CPU time per second. Unknown figures are left out. */
export function summaryOf(samples: readonly ResourceSample[], sampleIntervalMillis: number): ResourceSummary {
  const of = (name: Figure, combine: (values: readonly number[]) => number, as: keyof ResourceSummary) => {
    const values = valuesOf(samples, name);
    return values.length === 0 ? {} : { [as]: combine(values) };
  };
  const mean = (values: readonly number[]) => Math.round(sum(values) / values.length);
  const wallMs = sum(samples.map(({ intervalMillis }) => intervalMillis));
  return {
    ...cpuOf(samples),
    ...of('memoryBytes', mean, 'memoryMeanBytes'),
    ...of('memoryBytes', most, 'memoryPeakBytes'),
    ...of('memoryPeakBytes', most, 'memoryKernelPeakBytes'),
    ...of('memoryWorkingSetBytes', mean, 'memoryWorkingSetMeanBytes'),
    ...of('memoryWorkingSetBytes', most, 'memoryWorkingSetPeakBytes'),
    ...of('ioReadBytes', sum, 'ioReadBytes'),
    ...of('ioWriteBytes', sum, 'ioWriteBytes'),
    ...of('oomKill', sum, 'oomCount'),
    sampleIntervalMillis,
    weightedMeanWallMillis: wallMs,
  };
}

function cpuOf(samples: readonly ResourceSample[]): ResourceSummary {
  const rates = samples.flatMap(({ cpuMillis, intervalMillis }) =>
    cpuMillis === undefined || intervalMillis === 0 ? [] : [{ cpuMillis, intervalMillis }],
  );
  if (rates.length === 0) return {};
  const perSecond = (cpuMillis: number, wallMs: number) => Math.round((cpuMillis / wallMs) * 1_000);
  const total = sum(rates.map(({ cpuMillis }) => cpuMillis));
  return {
    cpuMeanMillis: perSecond(total, sum(rates.map(({ intervalMillis }) => intervalMillis))),
    cpuPeakMillis: most(rates.map(({ cpuMillis, intervalMillis }) => perSecond(cpuMillis, intervalMillis))),
  };
}

const figures: readonly (readonly [UnsupportedFigure, Figure])[] = [
  ['cpu', 'cpuMillis'],
  ['memory', 'memoryBytes'],
  ['memory_working_set', 'memoryWorkingSetBytes'],
  ['memory_peak', 'memoryPeakBytes'],
  ['io', 'ioReadBytes'],
  ['oom', 'oomKill'],
  ['pids', 'pidsCurrent'],
];

/** Figures that no sample has. The first sample of a container has no changes of counters. */
export function unsupportedIn(samples: readonly ResourceSample[]): UnsupportedFigure[] {
  const measured = samples.filter(({ intervalMillis }) => intervalMillis > 0);
  if (measured.length === 0) return [];
  return figures.flatMap(([unsupported, name]) =>
    valuesOf(measured, name).length === 0 ? [unsupported] : [],
  );
}
