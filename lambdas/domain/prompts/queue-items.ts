import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import type { Write } from '../records/transact.js';
import { maxQueuedPrompts, messageClasses, type Prompt } from './prompt.js';
import { ackDueOf } from './prompt-state.js';

/**
 * The small items beside a prompt. Those of one chat, in the order of their keys, are its queue.
 * Those of all chats, in the index `byParent` by time, are what the sweep reads.
 */
export const WaitingPrompt = z.object({
  chatId: Ulid,
  deliveryId: Ulid,
  /** Set when the prompt is delivered and must be acknowledged by this time. */
  ackDueAt: z.optional(z.iso.datetime()),
});
export type WaitingPrompt = z.infer<typeof WaitingPrompt>;

export const queuePrefix = 'WAITING#';
/** The partition of the index `byParent` that the sweep reads. */
export const duePartition = 'WAITING';

/** Most urgent class first, then the order of the messages in the chat. */
export function queueOrder({ sequence, messageClass }: Pick<Prompt, 'sequence' | 'messageClass'>): string {
  const rank = messageClasses.length - 1 - messageClasses.indexOf(messageClass);
  return `${rank}#${String(sequence).padStart(12, '0')}`;
}

export const queueKey = (prompt: Pick<Prompt, 'chatId' | 'sequence' | 'messageClass'>) => ({
  pk: `CHAT#${prompt.chatId}`,
  sk: `${queuePrefix}${queueOrder(prompt)}`,
});

/** Sorts by time. The sweep sends a wake-up for whatever is overdue. */
export const dueSk = (dueAt: string, deliveryId: string): string => `${dueAt}#${deliveryId}`;

/**
 * The index keys by which the sweep finds a prompt. A prompt that starts an agent is due only at
 * its deadline: the task run that creates the agent session delivers it.
 */
export const dueKeys = ({ kind, deadlineAt, nextAttemptAt, createdAt, deliveryId }: Prompt) => ({
  parentPk: duePartition,
  parentSk: dueSk(nextAttemptAt ?? (kind === 'start' ? deadlineAt : createdAt), deliveryId),
});

/** Removes an unqueued prompt from the index. */
export const noDueKeys = { parentPk: null, parentSk: null } as const;

const waitingItem = ({ chatId, deliveryId }: Pick<Prompt, 'chatId' | 'deliveryId'>) => ({
  entity: 'waiting-prompt',
  schemaVersion: 1,
  chatId,
  deliveryId,
});

/** The place of a prompt in the queue of its chat. */
export const queueItem = (prompt: Prompt) => ({
  ...queueKey(prompt),
  ...dueKeys(prompt),
  ...waitingItem(prompt),
});

/** An item of a chat that becomes due, and makes the sweep send a wake-up. */
export const dueItem = (prompt: Pick<Prompt, 'chatId' | 'deliveryId'>, sk: string, dueAt: string) => ({
  pk: `CHAT#${prompt.chatId}`,
  sk,
  parentPk: duePartition,
  parentSk: dueSk(dueAt, prompt.deliveryId),
  ...waitingItem(prompt),
});

/** Sorts after all prompts to deliver, earliest due first. */
const ackDueSk = ({ deliveryId }: Pick<Prompt, 'deliveryId'>, ackDueAt: string): string =>
  `${queuePrefix}UNREAD#${ackDueAt}#${deliveryId}`;

/** Kept while a delivered prompt has to be acknowledged. */
export const ackDueItem = (prompt: Prompt, ackDueAt: string) => ({
  ...dueItem(prompt, ackDueSk(prompt, ackDueAt), ackDueAt),
  ackDueAt,
});

/** Deletes the item of `ackDueItem`, if the prompt has one. */
export function removeAckDueItem(prompt: Prompt): readonly Write[] {
  const ackDueAt = ackDueOf(prompt);
  if (ackDueAt === null) return [];
  return [{ delete: { pk: `CHAT#${prompt.chatId}`, sk: ackDueSk(prompt, ackDueAt) }, when: {} }];
}

const shutdownSk = 'SHUTDOWN';

/** Kept from the acceptance of a shutdown prompt until the end of its task has begun. */
export const shutdownMarker = (prompt: Prompt): Write => ({
  put: dueItem(prompt, shutdownSk, prompt.createdAt),
  when: {},
});

export const removeShutdownMarker = (chatId: string): Write => ({
  delete: { pk: `CHAT#${chatId}`, sk: shutdownSk },
  when: {},
});

type InProject = Pick<Prompt, 'projectId'>;

/** One item counts the queued prompts of all chats of a project. */
const projectQueueKey = (projectId: string) => ({ pk: `PROJECT#${projectId}`, sk: 'PROMPTQUEUE' });

/** Counts a new queued prompt; refused at the limit of the project. */
export const countQueued = ({ projectId }: InProject): Write => ({
  update: { ...oneMore(projectId), when: { absentOrBefore: { queuedPrompts: maxQueuedPrompts } } },
});

/** Counts a prompt that was accepted earlier: the limit does not apply. */
export const countEnqueued = ({ projectId }: InProject): Write => ({
  update: { ...oneMore(projectId), when: {} },
});

export const countDequeued = ({ projectId }: InProject): Write => ({
  update: { key: projectQueueKey(projectId), add: { queuedPrompts: -1 }, when: { exists: true } },
});

const oneMore = (projectId: string) => ({
  key: projectQueueKey(projectId),
  set: { entity: 'prompt-queue', schemaVersion: 1 },
  add: { queuedPrompts: 1 },
});
