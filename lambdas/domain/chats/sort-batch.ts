import type { ConversationMessage } from '../../../protocol/agent-callbacks.js';
import type { Chat } from './chat.js';

export interface Reporter {
  readonly workspaceId: string;
  readonly generation: number;
  /** The node's message stream; it may continue in a later generation of the workspace. */
  readonly streamId?: string | undefined;
}

export interface SortedBatch {
  /** New messages to store, in the order of the stream. */
  readonly fresh: readonly ConversationMessage[];
  readonly duplicates: number;
  /** The batch continues the stream: the cursor moves. */
  readonly isNew: boolean;
  readonly cursor: NonNullable<Chat['cursor']>;
}

/**
 * Separates new messages of a batch from repeats. A node sends its messages in order, and again
 * until they are acknowledged: every message up to the cursor of the same stream is a repeat. A
 * person's message that was sent through the control plane is recognised by its id.
 */

// biome-ignore lint/complexity/useMaxParams: four plain values that share no name
export function sortBatch(
  { cursor }: Pick<Chat, 'cursor'>,
  reporter: Reporter,
  batch: readonly ConversationMessage[],
  knownIds: ReadonlySet<string>,
): SortedBatch {
  const { workspaceId, generation, streamId } = reporter;
  const after = cursor && isSameStream(cursor, reporter) ? cursor.sequence : 0;
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
    isNew: sequence > after,
    cursor: { workspaceId, generation, streamId, sequence },
  };
}

function isSameStream(one: Reporter, other: Reporter): boolean {
  if (one.workspaceId !== other.workspaceId) return false;
  if (one.streamId === undefined || other.streamId === undefined) return one.generation === other.generation;
  return one.streamId === other.streamId;
}
