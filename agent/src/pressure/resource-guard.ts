import type { Log } from '../shared/log.js';
import { SingleFlight } from '../shared/single-flight.js';
import type { DiskMonitor } from './disk-monitor.js';
import type { MemoryMonitor, MemoryState } from './memory-monitor.js';
import type {
  ContainerOomEvent,
  ContainerUse,
  NodePressureEvent,
  PressureEvent,
  PressureLevel,
  PressureSource,
} from './pressure.js';
import type { PressureEvents } from './pressure-events.js';

/** A sample for an event must not hold the event back. */
const sampleTimeoutMs = 5_000;

/** The kernel computes its averages of memory pressure this often. */
const kernelIntervalMs = 2_000;

interface GuardDeps {
  readonly memory: Pick<MemoryMonitor, 'state' | 'sample' | 'hasBecomeCritical'>;
  readonly disk: Pick<DiskMonitor, 'level' | 'sample'>;
  readonly events: PressureEvents;
  readonly sampleContainers: (signal: AbortSignal) => Promise<readonly ContainerUse[]>;
  readonly now: () => Date;
  readonly log: Log;
}

export type PressureReport = ReturnType<ResourceGuard['report']>;

/** Watches what the containers of this node use, and reports when memory or disk is short. */
export class ResourceGuard implements PressureSource, AsyncDisposable {
  private readonly ended = new AbortController();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly polling = new SingleFlight();
  private readonly checking = new SingleFlight();
  private containers: readonly ContainerUse[] = [];

  constructor(
    private readonly intervals: { readonly pollIntervalMs: number; readonly statsIntervalMs: number },
    private readonly deps: GuardDeps,
  ) {}

  start(): void {
    this.beginCheck();
    this.beginPoll();
    this.every(this.intervals.pollIntervalMs, () => this.beginPoll());
    // A node can run out of memory before the next sample.
    if (this.intervals.pollIntervalMs > kernelIntervalMs)
      this.every(kernelIntervalMs, () => {
        if (this.deps.memory.hasBecomeCritical()) this.beginPoll();
      });
    this.every(this.intervals.statsIntervalMs, () => this.beginCheck());
  }

  events(): AsyncIterable<PressureEvent> {
    return this.deps.events.subscribe();
  }

  level(of?: NodePressureEvent['type']): PressureLevel {
    const { memory, disk } = this.deps;
    if (of === 'system_memory_pressure') return memory.state.level;
    if (of === 'disk_pressure') return disk.level;
    return worse(memory.state.level, disk.level);
  }

  async sample(signal: AbortSignal): Promise<readonly ContainerUse[]> {
    const containers = await this.deps.sampleContainers(signal);
    this.containers = containers.toSorted(largestFirst);
    return this.containers;
  }

  /** The figures of the last samples, for diagnostics. */
  report() {
    const { memory, disk, events } = this.deps;
    const { isAvailable, level, pressure, collectedAt } = memory.state;
    return {
      level: this.level(),
      memory: { isAvailable, level, pressure, collectedAt: collectedAt?.toISOString() ?? null },
      disk: { level: disk.level },
      droppedEvents: events.dropped,
      containers: this.containers.map(({ collectedAt: at, ...use }) => ({
        ...use,
        collectedAt: at.toISOString(),
      })),
    };
  }

  containerDied(death: Omit<ContainerOomEvent, 'type' | 'level'>): void {
    const { log, events } = this.deps;
    log.warn('A container ended because its memory was full', { ...death });
    events.emit({ ...death, type: 'container_oom', level: 'critical' });
  }

  /** Takes one sample of the memory pressure. */
  async poll(): Promise<void> {
    const { memory, now } = this.deps;
    const before = memory.state.level;
    const state = memory.sample(now());
    if (state === null) return;
    const hasChanged = state.level !== before;
    if (hasChanged) this.logLevel(state);
    if (state.level === 'critical' || (hasChanged && state.level !== 'none'))
      await this.emit('system_memory_pressure', state.level, state.collectedAt ?? now());
  }

  /** Samples the containers and the disk once. */
  async check(): Promise<void> {
    const { disk, log, now } = this.deps;
    await this.freshSample().catch((error: unknown) =>
      log.warn('The containers could not be sampled', { error }),
    );
    const before = disk.level;
    const level = await disk.sample();
    if (level === 'critical') await this.emit('disk_pressure', level, now());
    else if (before === 'critical') log.info('The disk of the containers has room again');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    for (const timer of this.timers) clearInterval(timer);
    this.deps.events[Symbol.dispose]();
    await Promise.all([this.polling.current, this.checking.current]);
  }

  /** No container when they cannot be sampled: nobody may act on old figures. */
  private async emit(
    type: NodePressureEvent['type'],
    level: 'warning' | 'critical',
    collectedAt: Date,
  ): Promise<void> {
    const containers = level === 'critical' ? await this.freshSample().catch(() => []) : this.containers;
    this.deps.events.emit({ type, level, collectedAt, containers });
  }

  private freshSample(): Promise<readonly ContainerUse[]> {
    return this.sample(AbortSignal.any([this.ended.signal, AbortSignal.timeout(sampleTimeoutMs)]));
  }

  private logLevel({ level, pressure }: MemoryState): void {
    const largest = this.containers[0];
    const detail = { level, ...pressure, largest: largest?.name, memoryBytes: largest?.memoryBytes };
    if (level === 'none') this.deps.log.info('The memory pressure of the node has ended', detail);
    else this.deps.log.warn('The node is short of memory', detail);
  }

  private every(intervalMs: number, work: () => void): void {
    this.timers.push(setInterval(work, intervalMs).unref());
  }

  private beginPoll(): void {
    void this.polling.run(() => this.guarded(this.poll()));
  }

  private beginCheck(): void {
    void this.checking.run(() => this.guarded(this.check()));
  }

  private guarded(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.deps.log.error('Resource guard failed', { error }));
  }
}

const severity = { none: 0, warning: 1, critical: 2 } as const;

function worse(one: PressureLevel, other: PressureLevel): PressureLevel {
  return severity[one] >= severity[other] ? one : other;
}

function largestFirst(one: ContainerUse, other: ContainerUse): number {
  return (
    other.memoryBytes - one.memoryBytes ||
    other.memoryPercent - one.memoryPercent ||
    (one.id < other.id ? -1 : 1)
  );
}
