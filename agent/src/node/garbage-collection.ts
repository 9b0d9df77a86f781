import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookMs = 1_000;

/**
 * What streams through the agent lies beside the heap, 64 KiB a read, and is gone with the next scavenge. Left to itself the
 * engine marks the whole heap for every twenty megabytes of it, which costs more than passing them on. With thresholds
 * set it begins only when so many per cent of the room up to the limit are used, by when scavenges have freed most of it.
 */
export function raiseMarkingThresholds(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=90');
  setFlagsFromString('--incremental-marking-hard-trigger=95');
}

/** And what is left of it when there is nothing to do is collected then. */
export function collectWhenIdle(): void {
  // The engine has the function only in contexts that are made after this.
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
  setInterval(() => collector.look(), lookMs).unref();
}

/** With less work than this since the last look the agent rests, for nobody types and nothing streams. */
const restCpuMs = 30;
/** So much more than after the last collection is worth the pause at once, half as much after another second of rest, and so on. */
const worthBytes = 8 * 2 ** 20;
const leastBytes = 2 * 2 ** 20;

export interface CollectedProcess {
  cpuMs(): number;
  /** What the engine holds, in its heap and beside it. */
  heldBytes(): number;
  collect(): void;
}

/**
 * Gives back what a burst of work has left. The engine collects when it allocates: an agent that rests would keep buffers and
 * emptied pages until there is work again. Collecting all of it stops the agent for a few hundredths of a second, which nobody
 * notices who waits for nothing.
 */
export class IdleCollector {
  private workedMs: number;
  private keptBytes = 0;
  private worth = worthBytes;

  constructor(private readonly process: CollectedProcess) {
    this.workedMs = process.cpuMs();
  }

  /** To be called once a second. */
  look(): void {
    const workedMs = this.process.cpuMs();
    if (workedMs - this.workedMs >= restCpuMs) this.worth = worthBytes;
    else this.rest();
    this.workedMs = this.process.cpuMs();
  }

  private rest(): void {
    if (this.process.heldBytes() >= this.keptBytes + this.worth) {
      this.process.collect();
      this.keptBytes = this.process.heldBytes();
    }
    this.worth = Math.max(this.worth / 2, leastBytes);
  }
}
