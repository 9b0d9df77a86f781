import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Write } from '../records/transact.js';
import { ackDueOf } from './acknowledgement.js';
import { messageClasses, type Prompt } from './prompt.js';

/**
 * Is there as long as a prompt that has others to wait behind is not settled: the queue of its chat, in the order in which
 * it is worked off, and by the index what is due in all chats. Small, where the prompt itself may be long.
 */
export const WaitingPrompt = z.object({
  chatId: Ulid,
  deliveryId: Ulid,
  /** Given: it was delivered, and its reader has to say by then that it was read. */
  ackDueAt: z.optional(z.iso.datetime()),
});
export type WaitingPrompt = z.infer<typeof WaitingPrompt>;

export const waitingPrefix = 'WAITING#';
/** The partition of the index `byParent` that the sweep reads. */
export const waitingEverywhere = 'WAITING';

/** Most urgent first, then oldest: a class sorts by how far it is from the top, a prompt by its place in the chat. */
export function orderOf({ sequence, messageClass }: Pick<Prompt, 'sequence' | 'messageClass'>): string {
  const rank = messageClasses.length - 1 - messageClasses.indexOf(messageClass);
  return `${rank}#${String(sequence).padStart(12, '0')}`;
}

export const waitingKey = (prompt: Pick<Prompt, 'chatId' | 'sequence' | 'messageClass'>) => ({
  pk: `CHAT#${prompt.chatId}`,
  sk: `${waitingPrefix}${orderOf(prompt)}`,
});

/** Sorts by time; a bell that is due was lost if nobody answers it. */
export const dueSk = (dueAt: string, deliveryId: string): string => `${dueAt}#${deliveryId}`;

/** By which the sweep finds what waits: nobody rings for what begins an agent, which who makes the agent delivers. */
export const sweptBy = ({ kind, deadlineAt, nextAttemptAt, createdAt, deliveryId }: Prompt) => ({
  parentPk: waitingEverywhere,
  parentSk: dueSk(nextAttemptAt ?? (kind === 'start' ? deadlineAt : createdAt), deliveryId),
});

export type Swept = ReturnType<typeof sweptBy>;

/** Nothing of it is due any more. */
export const notSwept = { parentPk: null, parentSk: null } as const;

export const waitingItem = (prompt: Prompt) => ({
  ...waitingKey(prompt),
  entity: 'waiting-prompt',
  schemaVersion: 1,
  ...sweptBy(prompt),
  chatId: prompt.chatId,
  deliveryId: prompt.deliveryId,
});

/** After all that is to be delivered, the one that is late first. */
const unreadKey = ({ chatId, deliveryId }: WaitingPrompt, ackDueAt: string) => ({
  pk: `CHAT#${chatId}`,
  sk: `${waitingPrefix}UNREAD#${ackDueAt}#${deliveryId}`,
});

/** Of what was delivered and has to be acknowledged. */
export function unreadItem({ chatId, deliveryId }: WaitingPrompt, ackDueAt: string) {
  return {
    ...unreadKey({ chatId, deliveryId }, ackDueAt),
    entity: 'waiting-prompt',
    schemaVersion: 1,
    parentPk: waitingEverywhere,
    parentSk: dueSk(ackDueAt, deliveryId),
    ...{ chatId, deliveryId, ackDueAt },
  };
}

/** Takes away what `unreadItem` has put, if it has put anything. */
export function notUnread(prompt: Prompt): readonly Write[] {
  const ackDueAt = ackDueOf(prompt);
  return ackDueAt === null ? [] : [{ delete: unreadKey(prompt, ackDueAt), when: {} }];
}
