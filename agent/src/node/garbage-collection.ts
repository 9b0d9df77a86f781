import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const checkIntervalMs = 1_000;

/**
 * Streams through the agent use external memory, 64 KiB a read, which scavenges free. By default V8
 * marks the whole heap for every 20 MB of it, which costs more than the streaming itself. With
 * these thresholds V8 marks only when the heap is used to so many per cent of its limit.
 */
export function raiseMarkingThresholds(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=90');
  setFlagsFromString('--incremental-marking-hard-trigger=95');
}

/** Collects garbage while the agent is idle. */
export function collectWhenIdle(): void {
  // V8 offers `gc` only in contexts that are created after this.
  setFlagsFromString('--expose-gc');
  const collector = new IdleCollector({
    cpuMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    heldBytes: () => {
      const { total_heap_size, external_memory } = getHeapStatistics();
      return total_heap_size + external_memory;
    },
    collect: () => {
      runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })");
    },
  });
  setInterval(() => collector.check(), checkIntervalMs).unref();
}

/** The agent is idle when it used less CPU time than this since the last check. */
const idleCpuMs = 30;
/**
 * Growth since the last collection that is collected at once; the threshold halves with each
 * further idle second.
 */
const firstThresholdBytes = 8 * 2 ** 20;
const minThresholdBytes = 2 * 2 ** 20;

export interface CollectedProcess {
  cpuMs(): number;
  /** Heap and external memory. */
  heldBytes(): number;
  collect(): void;
}

/**
 * Frees memory after a burst of work. V8 collects only when it allocates, so an idle agent would
 * keep buffers and empty pages. A full collection stops the agent for a few hundredths of a second,
 * which has no effect while it is idle.
 */
export class IdleCollector {
  private workedMs: number;
  private collectedBytes = 0;
  private thresholdBytes = firstThresholdBytes;

  constructor(private readonly process: CollectedProcess) {
    this.workedMs = process.cpuMs();
  }

  /** Call once a second. */
  check(): void {
    const workedMs = this.process.cpuMs();
    if (workedMs - this.workedMs >= idleCpuMs) this.thresholdBytes = firstThresholdBytes;
    else this.collectIfGrown();
    this.workedMs = this.process.cpuMs();
  }

  private collectIfGrown(): void {
    if (this.process.heldBytes() >= this.collectedBytes + this.thresholdBytes) {
      this.process.collect();
      this.collectedBytes = this.process.heldBytes();
    }
    this.thresholdBytes = Math.max(this.thresholdBytes / 2, minThresholdBytes);
  }
}
