import type { EvictionReport } from '../../../protocol/eviction.js';
import type { EndedBecause } from './ended-because.js';

const kinds = { memory_pressure: 'evicted_memory', oom_kill: 'evicted_oom' } as const;

const sentences = {
  memory_pressure: 'Its node was short of memory and stopped it',
  oom_kill: 'It ran out of memory',
} as const;

/** An eviction in words, with the numbers that the node has measured. */
export function becauseOfEviction(
  { reason, cause }: Pick<EvictionReport, 'reason' | 'cause'>,
  now: Date,
): EndedBecause {
  const { shortOf: _, ...numbers } = cause ?? {};
  return {
    kind: kinds[reason],
    text: `${sentenceOf({ reason, cause })}. Its work is in a snapshot; a message or a restart continues it.`,
    at: now.toISOString(),
    ...numbers,
  };
}

/** Its use of memory is no cause when the disk was full. */
function sentenceOf({ reason, cause }: Pick<EvictionReport, 'reason' | 'cause'>): string {
  if (cause?.shortOf === 'disk') return 'Its node was short of disk space and stopped it';
  return cause ? `${sentences[reason]} ${inNumbers(cause)}` : sentences[reason];
}

function inNumbers({ usedBytes, limitBytes, largestProcess }: NonNullable<EvictionReport['cause']>): string {
  const limit = limitBytes === undefined ? '' : ` of ${inGib(limitBytes)}`;
  const largest = largestProcess
    ? `; largest process: ${largestProcess.name} ${inGib(largestProcess.bytes)} GiB`
    : '';
  return `at ${inGib(usedBytes)}${limit} GiB${largest}`;
}

const inGib = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);
