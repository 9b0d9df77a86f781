import type { EvictionGenerations } from '../../../protocol/eviction.js';
import type { SentEviction } from '../evictions/eviction.js';
import type { Workspace } from './workspace.js';

/** How many lost requests to one node are remembered. */
const mostBefore = 4;

/**
 * What is stored before an eviction generation is sent to a node: the node compares the one that it
 * has with the expected one, and an earlier request may not have reached it. A repeat is the same.
 */
export function sending(
  { sentEviction: last }: Pick<Workspace, 'sentEviction'>,
  { nodeId, evictionGeneration }: Pick<SentEviction, 'nodeId' | 'evictionGeneration'>,
): SentEviction {
  if (last?.nodeId !== nodeId) return { nodeId, evictionGeneration, before: [null] };
  if (last.evictionGeneration === evictionGeneration) return last;
  return {
    ...{ nodeId, evictionGeneration },
    before: [last.evictionGeneration, ...last.before].slice(0, mostBefore),
  };
}

/** The generations to send with a restart or rebuild, the likeliest first. */
export const candidatesOf = ({ evictionGeneration, before }: SentEviction): readonly EvictionGenerations[] =>
  before.map((expectedEvictionGeneration) => ({ evictionGeneration, expectedEvictionGeneration }));
