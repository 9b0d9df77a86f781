import type { ResourceCompleteness, ResourceSummary } from '../../../protocol/resource-history.js';

const means = ['cpuMeanMillis', 'memoryMeanBytes', 'memoryWorkingSetMeanBytes'] as const;
const peaks = [
  'cpuPeakMillis',
  'memoryPeakBytes',
  'memoryKernelPeakBytes',
  'memoryWorkingSetPeakBytes',
] as const;
const totals = ['ioReadBytes', 'ioWriteBytes', 'oomCount'] as const;
export const figureNames = [...means, ...peaks, ...totals] as const;

type Mean = (typeof means)[number];

/** Figures with the time that each mean covers: older agents leave some of them out. */
export interface WeightedFigures {
  readonly figures: ResourceSummary;
  readonly weights: { readonly [Name in Mean]?: number | undefined };
}

/** The figures of one chunk, in the stored form: without nulls. */
export function weightedFigures(summary: ResourceSummary, durationMs: number): WeightedFigures {
  const figures = Object.fromEntries(
    Object.entries(summary).filter(([, value]) => value !== null && value !== undefined),
  ) as ResourceSummary; // Only entries are left out, and every field is optional.
  const weight = figures.weightedMeanWallMillis ?? durationMs;
  const weights = Object.fromEntries(
    means.filter((name) => figures[name] !== undefined).map((name) => [name, weight]),
  );
  return { figures, weights };
}

/** Means weighted by time, the highest peaks, summed totals. */
export function mergeFigures(one: WeightedFigures, other: WeightedFigures): WeightedFigures {
  const pick = (name: keyof ResourceSummary) =>
    [one.figures[name], other.figures[name]].filter((value) => value != null);
  const combine = (names: readonly (keyof ResourceSummary)[], by: (values: readonly number[]) => number) =>
    names.flatMap((name) => {
      const values = pick(name);
      return values.length === 0 ? [] : [[name, by(values)] as const];
    });
  const weights = Object.fromEntries(
    means.flatMap((name) => {
      const weight = (one.weights[name] ?? 0) + (other.weights[name] ?? 0);
      return name in one.weights || name in other.weights ? [[name, weight]] : [];
    }),
  );
  const figures = Object.fromEntries([
    ...means.flatMap((name) => mergeMean(name, one, other)),
    ...combine(peaks, (values) => Math.max(...values)),
    ...combine([...totals, 'weightedMeanWallMillis'], (values) => values.reduce((sum, value) => sum + value)),
    ...combine(['sampleIntervalMillis'], (values) => values.at(-1) ?? 0),
  ]);
  return { figures, weights };
}

function mergeMean(name: Mean, one: WeightedFigures, other: WeightedFigures): [] | [readonly [Mean, number]] {
  const [a, b] = [one.weights[name] ?? 0, other.weights[name] ?? 0];
  const [first, second] = [one.figures[name], other.figures[name]];
  if (first == null || second == null) {
    const only = first ?? second;
    return only == null ? [] : [[name, only]];
  }
  const total = a + b;
  return [[name, total === 0 ? (first + second) / 2 : (first * a + second * b) / total]];
}

/** As of the later chunk; partial, and without a figure, when one of them is. */
export function mergeCompleteness(
  earlier: ResourceCompleteness,
  later: ResourceCompleteness,
): ResourceCompleteness {
  const unsupported = [...new Set([...(earlier.unsupported ?? []), ...(later.unsupported ?? [])])];
  return {
    ...later,
    status: earlier.status === 'partial' ? 'partial' : later.status,
    ...(unsupported.length > 0 ? { unsupported } : {}),
  };
}
