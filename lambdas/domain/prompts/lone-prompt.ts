import type { Chat } from '../chats/chat.js';
import type { Prompt } from './prompt.js';
import { orderOf, type WaitingPrompt, waitingPrefix } from './waiting-prompt.js';

/** Whether the next prompt of a chat waits alone, as a prompt says it of itself. */
export const waitsAlone = ({ queuedPrompts }: Pick<Chat, 'queuedPrompts'>): Prompt['isLone'] =>
  queuedPrompts === 0 ? true : null;

/** How a chat names the prompt that waits alone in it: by its place in the order of the queue, and its id. */
export const loneMark = (prompt: Pick<Prompt, 'sequence' | 'messageClass' | 'deliveryId'>): string =>
  `${orderOf(prompt)}#${prompt.deliveryId}`;

/** The prompt that a chat names so, with the key that it would have in the queue: others may have come after it. */
export function loneOf({
  chatId,
  lone,
}: Pick<Chat, 'chatId' | 'lone'>): (WaitingPrompt & { readonly sk: string }) | undefined {
  if (lone === undefined) return undefined;
  return { chatId, deliveryId: lone.slice(lone.lastIndexOf('#') + 1), sk: `${waitingPrefix}${lone}` };
}

/** Somebody has begun to deliver it, and may not come back. */
export const isBeingDelivered = (lone: Prompt | undefined): lone is Prompt =>
  lone?.deliveryState === 'delivering';
