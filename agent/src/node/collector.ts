import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RestCollector } from './rest-collector.js';

const lookMs = 1_000;

/**
 * What streams through the agent lies beside the heap, 64 KiB a read, and is gone with the next scavenge. Left to itself the
 * engine marks the whole heap for every twenty megabytes of it, which costs more than passing them on. With thresholds
 * set it begins only when so many per cent of the room up to the limit are used, by when scavenges have freed most of it.
 */
export function markForTheHeapOnly(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=90');
  setFlagsFromString('--incremental-marking-hard-trigger=95');
}

/** And what is left of it when there is nothing to do is collected then. */
export function collectAtRest(): void {
  // The engine has the function only in contexts that are made after this.
  setFlagsFromString('--expose-gc');
  const collector = new RestCollector({
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
