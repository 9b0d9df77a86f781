import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { deletedAfter, subscriptionPartition } from './event-subscription.js';
import { requestedDeliveries, resolvedDeliveries } from './resolve-delivery.js';

export const maxEventsPerBatch = 50;

export const deliveryStates = [
  'pending',
  'recorded_not_injected',
  'delivered',
  'acked',
  'failed',
  'ambiguous',
  'expired',
  'cancelled',
] as const;

/** The delivery of several matches by one prompt, whose delivery id it has. */
export const EventBatch = z.object({
  batchId: Ulid,
  subscriptionId: Ulid,
  projectId: Ulid,
  ownerId: z.string(),
  state: z.enum(deliveryStates),
  requestedDelivery: z.enum(requestedDeliveries),
  resolvedDelivery: z.enum(resolvedDeliveries),
  eventIds: z.array(Ulid).check(z.maxLength(maxEventsPerBatch)),
  /** Of the matches, in the order of `eventIds`. */
  sequences: z.array(z.int()),
  deliveredAt: orNull(z.iso.datetime()),
  acknowledgedAt: orNull(z.iso.datetime()),
  acknowledgedBy: orNull(z.string()),
  terminalAt: orNull(z.iso.datetime()),
  terminalReason: orNull(z.string()),
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type EventBatch = z.infer<typeof EventBatch>;

export const batchPrefix = 'BATCH#';

/** Batch ids sort by creation. */
export const batchKey = ({ subscriptionId, batchId }: Pick<EventBatch, 'subscriptionId' | 'batchId'>) => ({
  pk: subscriptionPartition(subscriptionId),
  sk: `${batchPrefix}${batchId}`,
});

export const batchItem = (batch: EventBatch) => ({
  ...batchKey(batch),
  entity: 'event-batch',
  schemaVersion: 1,
  expiresAt: deletedAfter(batch.createdAt),
  ...withoutNulls(batch),
});
