import { setFlagsFromString } from 'node:v8';

/**
 * What streams through the agent lies beside the heap, 64 KiB a read, and is gone with the next scavenge. Left to itself the
 * engine marks the whole heap for every twenty megabytes of it, which costs more than passing them on. With thresholds
 * set it begins only when so many per cent of the room up to the limit are used, by when scavenges have freed most of it.
 */
export function markForTheHeapOnly(): void {
  setFlagsFromString('--incremental-marking-soft-trigger=90');
  setFlagsFromString('--incremental-marking-hard-trigger=95');
}
