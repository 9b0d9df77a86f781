import type { ResourceGap, ResourceSample } from '../../../protocol/resource-history.js';
import type { ControlGroup, ControlGroupFigures } from './control-group.js';

/** Periods come from the monotonic clock: the wall clock can be set back or forth. */
export interface SampleTime {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export interface TakenSample {
  readonly sample: ResourceSample;
  readonly gap?: ResourceGap;
}

const counters = ['cpuMillis', 'ioReadBytes', 'ioWriteBytes', 'oom', 'oomKill'] as const;
const levels = ['memoryBytes', 'memoryWorkingSetBytes', 'memoryPeakBytes', 'pidsCurrent'] as const;

type Changes = Partial<Record<(typeof counters)[number], number>>;

/** Samples one container, each time relative to the previous sample. */
export class ResourceSampler {
  private previous: { readonly figures: ControlGroupFigures; readonly monotonicMs: number } | undefined;

  constructor(
    private readonly group: ControlGroup,
    private readonly intervalMs: number,
  ) {}

  /**
   * Null when the container has ended. The first sample has no changes of counters. After a delay,
   * the sample covers the whole time since the previous one and is marked; nothing is interpolated.
   */
  take({ wallMs, monotonicMs }: SampleTime): TakenSample | null {
    const figures = this.group.read();
    if (figures === null) return null;
    const previous = this.previous;
    this.previous = { figures, monotonicMs };
    const elapsed = previous === undefined ? 0 : Math.round(monotonicMs - previous.monotonicMs);
    const sample = {
      t: wallMs,
      intervalMillis: elapsed,
      ...changes(previous?.figures, figures),
      ...pick(figures),
    };
    if (elapsed <= 2 * this.intervalMs) return { sample };
    const gap = { startedAt: wallMs - elapsed, endedAt: wallMs, reason: 'sampler_delay' } as const;
    return { sample: { ...sample, gap: true }, gap };
  }
}

function pick(figures: ControlGroupFigures): Partial<ResourceSample> {
  return Object.fromEntries(
    levels.flatMap((name) => (figures[name] === undefined ? [] : [[name, figures[name]]])),
  );
}

/** A counter that went back has no change: what it counted before its reset is unknown. */
function changes(
  before: ControlGroupFigures | undefined,
  after: ControlGroupFigures,
): Changes & { counterReset?: true } {
  const result: Changes = {};
  let isReset = false;
  for (const name of counters) {
    const change = (after[name] ?? Number.NaN) - (before?.[name] ?? Number.NaN);
    if (change < 0) isReset = true;
    if (change >= 0) result[name] = change;
  }
  return isReset ? { ...result, counterReset: true } : result;
}
