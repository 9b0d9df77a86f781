import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import type { Chat } from './chat.js';

export interface Teller {
  readonly workspaceId: string;
  readonly generation: number;
}

export interface SortedBatch {
  /** To be stored, in their order. */
  readonly fresh: readonly ConversationMessage[];
  readonly duplicates: number;
  /** How far this life of the workspace is heard afterwards. */
  readonly heard: NonNullable<Chat['heard']>;
}

/**
 * What of a batch is new. A node tells its messages in order and again until they are answered, so everything up to the
 * last number that was heard of the same life is a repeat. What a person wrote here is known by its id: the node tells
 * of it too.
 */
export function sortBatch(
  { heard }: Pick<Chat, 'heard'>,
  { workspaceId, generation }: Teller,
  batch: readonly ConversationMessage[],
  knownIds: ReadonlySet<string>,
): SortedBatch {
  const isSameLife = heard?.workspaceId === workspaceId && heard.generation === generation;
  const after = isSameLife ? heard.sequence : 0;
  const inOrder = [...batch].sort((a, b) => a.sequence - b.sequence);
  const seen = new Set<number>();
  const fresh = inOrder.filter(({ sequence, messageId }) => {
    if (sequence <= after || seen.has(sequence)) return false;
    seen.add(sequence);
    return !knownIds.has(messageId);
  });
  const sequence = Math.max(after, ...inOrder.map((message) => message.sequence));
  return { fresh, duplicates: batch.length - fresh.length, heard: { workspaceId, generation, sequence } };
}
