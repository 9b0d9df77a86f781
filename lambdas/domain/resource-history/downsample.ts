import type { ResourceSample } from '../../../protocol/resource-history.js';

/** WORKSPACE_RESOURCE_DETAIL_MAX_POINTS. */
export const maxDetailPoints = 720;

/**
 * At most `limit` samples: the first, the last, and of each equal part between them the sample that
 * stands out most, so that no spike and no gap is lost.
 */
export function downsample(
  samples: readonly ResourceSample[],
  limit = maxDetailPoints,
): readonly ResourceSample[] {
  if (samples.length <= limit) return samples;
  const middle = samples.slice(1, -1);
  const parts = limit - 2;
  const edge = (part: number) => Math.floor((part * middle.length) / parts);
  const kept = Array.from({ length: parts }, (_, part) =>
    middle
      .slice(edge(part), edge(part + 1))
      .reduce((best, sample) => (scoreOf(sample) > scoreOf(best) ? sample : best)),
  );
  return [...samples.slice(0, 1), ...kept, ...samples.slice(-1)];
}

/** CPU time of an interval in milliseconds and memory in MiB have about the same size. */
function scoreOf(sample: ResourceSample): number {
  const { gap, counterReset, oomKill = 0, oom = 0 } = sample;
  if (gap || counterReset || oomKill + oom > 0) return Number.POSITIVE_INFINITY;
  const { cpuMillis = 0, memoryBytes = 0, memoryWorkingSetBytes = 0 } = sample;
  const { ioReadBytes = 0, ioWriteBytes = 0 } = sample;
  return cpuMillis + (memoryBytes + memoryWorkingSetBytes + ioReadBytes + ioWriteBytes) / 2 ** 20;
}
