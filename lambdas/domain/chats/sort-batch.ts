import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import type { Chat } from './chat.js';

export interface Teller {
  readonly workspaceId: string;
  readonly generation: number;
  readonly streamId?: string | undefined;
}

export interface SortedBatch {
  /** To be stored, in their order. */
  readonly fresh: readonly ConversationMessage[];
  readonly duplicates: number;
  /** Nothing is to be written when all of it was heard before. */
  readonly isNews: boolean;
  /** How far the node is heard afterwards. */
  readonly heard: NonNullable<Chat['heard']>;
}

/**
 * What of a batch is new. A node tells its messages in order and again until they are answered, so everything up to the
 * last number that was heard of the same counting is a repeat, also when the workspace has another generation by then. What
 * a person wrote here is known by its id: the node tells of it too.
 */

// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
export function sortBatch(
  { heard }: Pick<Chat, 'heard'>,
  teller: Teller,
  batch: readonly ConversationMessage[],
  knownIds: ReadonlySet<string>,
): SortedBatch {
  const { workspaceId, generation, streamId } = teller;
  const after = heard && isSameCounting(heard, teller) ? heard.sequence : 0;
  const inOrder = [...batch].sort((a, b) => a.sequence - b.sequence);
  const seen = new Set<number>();
  const fresh = inOrder.filter(({ sequence, messageId }) => {
    if (sequence <= after || seen.has(sequence)) return false;
    seen.add(sequence);
    return !knownIds.has(messageId);
  });
  const sequence = Math.max(after, ...inOrder.map((message) => message.sequence));
  return {
    fresh,
    duplicates: batch.length - fresh.length,
    isNews: sequence > after,
    heard: { workspaceId, generation, streamId, sequence },
  };
}

function isSameCounting(one: Teller, other: Teller): boolean {
  if (one.workspaceId !== other.workspaceId) return false;
  if (one.streamId === undefined || other.streamId === undefined) return one.generation === other.generation;
  return one.streamId === other.streamId;
}
