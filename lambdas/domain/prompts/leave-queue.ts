import type { Chat } from '../chats/chat.js';
import type { Conditions } from '../records/conditions.js';
import type { Write } from '../records/transact.js';
import { loneMark } from './lone-prompt.js';
import type { PromptChange } from './move-prompt.js';
import { countOut } from './project-queue.js';
import type { Prompt } from './prompt.js';
import { notSwept, waitingKey } from './waiting-prompt.js';

/** What is written where a prompt waits no more, beside its move. */
export interface Leaving {
  readonly ofPrompt: PromptChange;
  readonly ofChat: {
    readonly remove: readonly string[];
    readonly when: Pick<Conditions, 'equals' | 'absent'>;
  };
  readonly others: readonly Write[];
}

/** From where it waits: alone, or in the queue of its chat. */
export function leaveQueue(prompt: Prompt, chat: Pick<Chat, 'deliveringId'>): Leaving {
  if (prompt.isLone)
    return {
      ofPrompt: { isLone: null, ...notSwept },
      ofChat: { remove: ['lone'], when: { equals: { lone: loneMark(prompt) } } },
      others: [],
    };
  return {
    ofPrompt: {},
    ofChat: letGo(prompt, chat),
    others: [{ delete: waitingKey(prompt), when: {} }, countOut(prompt)],
  };
}

/**
 * A chat lets go of the prompt of its queue that was delivered, from how it was read: one that has begun again meanwhile does
 * not hold it any more, and may hold another one.
 */
export function letGo(
  { deliveryState, deliveryId }: Prompt,
  { deliveringId }: Pick<Chat, 'deliveringId'>,
): Leaving['ofChat'] {
  if (deliveryState !== 'delivering') return { remove: [], when: {} };
  if (deliveringId === undefined) return { remove: [], when: { absent: ['deliveringId'] } };
  return {
    remove: deliveringId === deliveryId ? ['deliveringId'] : [],
    when: { equals: { deliveringId } },
  };
}
