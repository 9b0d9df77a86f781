import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { derivedId } from '../../shared/derived-id.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { deletedAfter, subscriptionPartition } from './event-subscription.js';
import { requestedDeliveries, resolvedDeliveries } from './resolve-delivery.js';

export const matchStates = [
  /** It waits for a wake. */
  'matched',
  'batch_created',
  'recorded_not_injected',
  'expired',
  'cancelled',
] as const;

/**
 * One event for one subscription. It is also its own pull delivery, which has the same id, until a
 * wake takes it into a batch.
 */
export const EventMatch = z.object({
  matchId: Ulid,
  /** Of the matches of its subscription, from 1 without a gap: pages cannot miss a later one. */
  sequence: z.int(),
  subscriptionId: Ulid,
  projectId: Ulid,
  ownerId: z.string(),
  eventId: Ulid,
  state: z.enum(matchStates),
  /** The batch that carries it. */
  batchId: orNull(Ulid),
  /** Why it is not delivered. */
  reason: orNull(z.string()),
  requestedDelivery: z.enum(requestedDeliveries),
  resolvedDelivery: z.enum(resolvedDeliveries),
  matchedAt: z.iso.datetime(),
  acknowledgedAt: orNull(z.iso.datetime()),
  acknowledgedBy: orNull(z.string()),
  updatedAt: z.iso.datetime(),
});
export type EventMatch = z.infer<typeof EventMatch>;

/** An event matches a subscription once. */
export const matchIdOf = (subscriptionId: string, eventId: string): string =>
  derivedId('event-match', subscriptionId, eventId);

export const matchPrefix = 'MATCH#';
export const matchSk = (sequence: number): string => `${matchPrefix}${String(sequence).padStart(12, '0')}`;

export const matchKey = ({ subscriptionId, sequence }: Pick<EventMatch, 'subscriptionId' | 'sequence'>) => ({
  pk: subscriptionPartition(subscriptionId),
  sk: matchSk(sequence),
});

export const matchItem = (match: EventMatch) => ({
  ...matchKey(match),
  entity: 'event-match',
  schemaVersion: 1,
  expiresAt: deletedAfter(match.matchedAt),
  ...withoutNulls(match),
});

/** Leads from the id of a delivery to its record. That of a match also keeps it unique. */
export const DeliveryPointer = z.object({
  deliveryId: Ulid,
  subscriptionId: Ulid,
  projectId: Ulid,
  ownerId: z.string(),
  /** Of the match; null for a batch. */
  sequence: orNull(z.int()),
});
export type DeliveryPointer = z.infer<typeof DeliveryPointer>;

export const pointerKey = (deliveryId: string) => ({
  pk: `EVENTDELIVERY#${deliveryId}`,
  sk: 'EVENTDELIVERY',
});

export const pointerItem = (pointer: DeliveryPointer, at: string) => ({
  ...pointerKey(pointer.deliveryId),
  entity: 'event-delivery-pointer',
  schemaVersion: 1,
  expiresAt: deletedAfter(at),
  ...withoutNulls(pointer),
});
