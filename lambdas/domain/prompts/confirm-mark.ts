import type { Chat } from '../chats/chat.js';
import type { Write } from '../records/transact.js';
import { dueSk, type WaitingPrompt, waitingEverywhere } from './waiting-prompt.js';

const markKey = (chatId: string) => ({ pk: `CHAT#${chatId}`, sk: 'CONFIRM' });

/** A turn that lasts longer, or after which nothing is sent, is asked about by itself. */
const confirmAfterMs = 2 * 60_000;

export const nextConfirmAt = (now: Date): string => new Date(now.getTime() + confirmAfterMs).toISOString();

/** A mark is there, and the sweep has yet to ring for it: whatever the node takes until then is asked about with it. */
export const isMarked = ({ confirmDueAt }: Pick<Chat, 'confirmDueAt'>, now: Date): boolean =>
  confirmDueAt !== undefined && confirmDueAt > now.toISOString();

/**
 * One a chat, while it has a prompt that the node took and did not confirm: the sweep rings for it when nothing else has.
 * The chat's `confirmDueAt` says when; both are changed in one transaction.
 */
export const confirmMark = ({ chatId, deliveryId }: WaitingPrompt, dueAt: string): Write => ({
  put: {
    ...markKey(chatId),
    entity: 'waiting-prompt',
    schemaVersion: 1,
    parentPk: waitingEverywhere,
    parentSk: dueSk(dueAt, deliveryId),
    chatId,
    deliveryId,
  },
  when: {},
});

export const confirmed = (chatId: string): Write => ({ delete: markKey(chatId), when: {} });
