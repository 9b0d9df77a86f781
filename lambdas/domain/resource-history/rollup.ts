import type { ResourceChunk, ResourceSample } from '../../../protocol/resource-history.js';
import type { ResourceRollup } from '../../../protocol/resource-history-reads.js';

const minute = 60_000;
const maxBuckets = 60;

interface Period {
  readonly startedAt: number;
  readonly endedAt: number;
}

type Figure = keyof {
  [Name in keyof ResourceSample as ResourceSample[Name] extends number | undefined ? Name : never]: true;
};

/** The figures of a chunk by minute. A chunk of more than an hour has wider buckets. */
export function rollupOf(
  { samples, toolSpans }: Pick<ResourceChunk, 'samples' | 'toolSpans'>,
  { startedAt, endedAt }: Period,
): ResourceRollup {
  const bucketMs = Math.max(1, Math.ceil((endedAt - startedAt) / maxBuckets / minute)) * minute;
  const count = Math.max(1, Math.ceil((endedAt - startedAt) / bucketMs));
  const starts = Array.from({ length: count }, (_, index) => startedAt + index * bucketMs);
  const bucketAt = (time: number) =>
    Math.min(count - 1, Math.max(0, Math.floor((time - startedAt) / bucketMs)));
  // A sample is about the time before it.
  const inBucket = Map.groupBy(samples, ({ t }) => bucketAt(t - 1));
  // A call that began before the chunk was counted in an earlier one.
  const begun = toolSpans.filter((span) => span.startedAt >= startedAt);
  const started = Map.groupBy(begun, (span) => bucketAt(span.startedAt));

  const column = <Value>(of: (samples: readonly ResourceSample[]) => Value): Value[] =>
    starts.map((_, index) => of(inBucket.get(index) ?? []));
  const figures = (name: Figure, combine: (values: readonly number[]) => number) =>
    column((inside) => {
      const values = inside.flatMap((sample) => sample[name] ?? []);
      return values.length === 0 ? null : combine(values);
    });

  return {
    v: 1,
    bucketMs,
    start: starts,
    end: starts.map((start) => Math.min(start + bucketMs, Math.max(endedAt, start))),
    samples: column((inside) => inside.length),
    cpuMeanCores: column((inside) => coresOf(inside)),
    cpuMaxCores: column((inside) => highest(inside.flatMap((sample) => coresOf([sample]) ?? []))),
    memoryMeanBytes: figures('memoryBytes', mean),
    memoryMaxBytes: figures('memoryBytes', (values) => highest(values) ?? 0),
    workingSetMeanBytes: figures('memoryWorkingSetBytes', mean),
    workingSetMaxBytes: figures('memoryWorkingSetBytes', (values) => highest(values) ?? 0),
    ioReadBytes: figures('ioReadBytes', sum),
    ioWriteBytes: figures('ioWriteBytes', sum),
    oomKills: figures('oomKill', sum),
    toolCallStarts: starts.map((_, index) => started.get(index)?.length ?? 0),
  };
}

/** CPU time over the time that it was measured in. */
function coresOf(samples: readonly ResourceSample[]): number | null {
  const measured = samples.filter(
    ({ cpuMillis, intervalMillis }) => cpuMillis !== undefined && intervalMillis > 0,
  );
  const wallMs = sum(measured.map(({ intervalMillis }) => intervalMillis));
  if (wallMs === 0) return null;
  return Math.round((sum(measured.map(({ cpuMillis = 0 }) => cpuMillis)) / wallMs) * 1_000) / 1_000;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => Math.round(sum(values) / values.length);
const highest = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((one, other) => Math.max(one, other));
