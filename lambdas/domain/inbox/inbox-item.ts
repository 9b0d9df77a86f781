import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { inboxKinds } from '../../../protocol/live.js';
import { ownershipOfferMs } from '../projects/member.js';
import { orNull, withoutNulls } from '../records/changes.js';

/** One thing that waits for a person, and where to look at it. It holds no content of agents. */
export const InboxItem = z.object({
  itemId: z.string(),
  userId: Ulid,
  projectId: Ulid,
  kind: z.enum(inboxKinds),
  /** More precise than the kind: docs/inbox.md lists the reasons of each. */
  reason: z.string(),
  /** Of the chat or the task. */
  title: orNull(z.string()),
  chatId: orNull(Ulid),
  taskId: orNull(Ulid),
  workspaceId: orNull(Ulid),
  interactionId: orNull(z.string()),
  /** Of the message that has not arrived. */
  deliveryId: orNull(Ulid),
  sequence: orNull(z.int()),
  createdAt: z.iso.datetime(),
});
export type InboxItem = z.infer<typeof InboxItem>;

/** What nobody deals with is deleted after this time. */
export const keptSeconds = 30 * 24 * 60 * 60;

/** When an item ends, in epoch milliseconds: an offer of the ownership with the offer. */
export const endOf = ({ kind, createdAt }: Pick<InboxItem, 'kind' | 'createdAt'>): number =>
  Date.parse(createdAt) + (kind === 'ownership' ? ownershipOfferMs : keptSeconds * 1_000);

/** One item for each cause: a repeat writes the same item again. */
export const itemIdOf = (kind: InboxItem['kind'], causeId: string): string => `${kind}.${causeId}`;

export const inboxPartition = (userId: string): string => `INBOX#${userId}`;
export const inboxKey = (userId: string, itemId: string) => ({ pk: inboxPartition(userId), sk: itemId });

/** The list of a person in the index `byOwner`, by time. */
export const inboxOf = (userId: string): string => `USER#${userId}#INBOX`;

/** The partition of the index `byParent` that the sweep reads: items by their next check. */
export const checkedItems = 'INBOXITEMS';
export const checkSk = ({ userId, itemId }: InboxItem, at: Date): string =>
  `${at.toISOString()}#${userId}#${itemId}`;

/** Later than the stream may be. */
const firstCheckMs = 15 * 60_000;

export const inboxRow = (item: InboxItem) => ({
  ...inboxKey(item.userId, item.itemId),
  entity: 'inbox-item',
  schemaVersion: 1,
  ownerPk: inboxOf(item.userId),
  ownerSk: `${item.createdAt}#${item.itemId}`,
  parentPk: checkedItems,
  parentSk: checkSk(item, new Date(Date.parse(item.createdAt) + firstCheckMs)),
  expiresAt: Math.floor(endOf(item) / 1_000),
  ...withoutNulls(item),
});
