import { setFlagsFromString } from 'node:v8';

/**
 * What streams through the agent lies beside the heap, 64 KiB a read, and is gone with the next scavenge. Left to itself the
 * engine marks the whole heap for every twenty megabytes of it, which costs more than passing them on. With thresholds
 * set, marking begins when so many per cent of the room up to the heap's limit are left, and for nothing else.
 */
export function markForTheHeapOnly(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=20');
  setFlagsFromString('--incremental-marking-hard-trigger=10');
}
