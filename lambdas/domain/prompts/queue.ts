import type { Table } from '../../shared/table.js';
import type { ChatChange } from '../chats/change-chat.js';
import type { Chat } from '../chats/chat.js';
import { changeItem } from '../records/change-item.js';
import type { Write } from '../records/transact.js';
import { type Prompt, promptKey } from './prompt.js';
import { type PromptChange, promptMove } from './prompt-state.js';
import {
  countDequeued,
  countEnqueued,
  dueSk,
  noDueKeys,
  queueItem,
  queueKey,
  queueOrder,
  queuePrefix,
  type WaitingPrompt,
} from './queue-items.js';

/** A new prompt stays out of the queue when no other prompt of its chat waits. */
export const isNextUnqueued = ({ queuedPrompts }: Pick<Chat, 'queuedPrompts'>): Prompt['isUnqueued'] =>
  queuedPrompts === 0 ? true : null;

/** How a chat refers to its unqueued prompt: by queue order and id. */
export const unqueuedRef = (prompt: Pick<Prompt, 'sequence' | 'messageClass' | 'deliveryId'>): string =>
  `${queueOrder(prompt)}#${prompt.deliveryId}`;

/** The unqueued prompt of a chat, with the sort key that it would have in the queue. */
export function unqueuedOf({
  chatId,
  unqueued,
}: Pick<Chat, 'chatId' | 'unqueued'>): (WaitingPrompt & { readonly sk: string }) | undefined {
  if (unqueued === undefined) return undefined;
  const deliveryId = unqueued.slice(unqueued.lastIndexOf('#') + 1);
  return { chatId, deliveryId, sk: `${queuePrefix}${unqueued}` };
}

/** An attempt to deliver it has begun, and may have been abandoned. */
export const isDelivering = (prompt: Prompt | undefined): prompt is Prompt =>
  prompt?.deliveryState === 'delivering';

/**
 * Moves the unqueued prompt into the queue because another prompt of its chat is delivered first.
 * It changes the version, so an attempt that has read the prompt before fails.
 */
export const enqueue = (unqueued: Prompt, now: Date): readonly Write[] => [
  promptMove(unqueued, { isUnqueued: null, ...noDueKeys }, now),
  { put: queueItem(unqueued), when: { exists: false } },
  countEnqueued(unqueued),
];

/** The changes when a prompt stops waiting, beside its move. */
export interface QueueExit {
  readonly ofPrompt: PromptChange;
  readonly ofChat: Required<Pick<ChatChange, 'set' | 'when'>>;
  readonly writes: readonly Write[];
}

export function leaveQueue(prompt: Prompt, chat: Pick<Chat, 'deliveringId'>): QueueExit {
  if (prompt.isUnqueued)
    return {
      ofPrompt: { isUnqueued: null, ...noDueKeys },
      ofChat: { set: { unqueued: null }, when: { equals: { unqueued: unqueuedRef(prompt) } } },
      writes: [],
    };
  return {
    ofPrompt: {},
    ofChat: releaseDelivery(prompt, chat),
    writes: [{ delete: queueKey(prompt), when: {} }, countDequeued(prompt)],
  };
}

/**
 * Clears the chat's `deliveringId` when it is this prompt, on condition that it is as it was read:
 * a chat that was restarted since may deliver another prompt.
 */
export function releaseDelivery(
  { deliveryState, deliveryId }: Prompt,
  { deliveringId }: Pick<Chat, 'deliveringId'>,
): QueueExit['ofChat'] {
  if (deliveryState !== 'delivering') return { set: {}, when: {} };
  if (deliveringId === undefined) return { set: {}, when: { absent: ['deliveringId'] } };
  return {
    set: deliveringId === deliveryId ? { deliveringId: null } : {},
    when: { equals: { deliveringId } },
  };
}

/** Makes the sweep wake the chat of a prompt that nothing else will deliver. One table call. */
export async function makeDue(table: Table, prompt: Prompt, now: Date): Promise<void> {
  const { chatId, deliveryId, isUnqueued } = prompt;
  await changeItem(table, {
    key: isUnqueued ? promptKey(chatId, deliveryId) : queueKey(prompt),
    set: { parentSk: dueSk(now.toISOString(), deliveryId) },
    when: { present: ['parentSk'] },
  });
}
