import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { deliveryStates } from '../../domain/event-subscriptions/event-batch.js';
import { FilterFields } from '../../domain/event-subscriptions/event-filter.js';
import {
  DeliveryTarget,
  SubscriptionParty,
  subscriptionStates,
} from '../../domain/event-subscriptions/event-subscription.js';
import {
  requestedDeliveries,
  resolvedDeliveries,
} from '../../domain/event-subscriptions/resolve-delivery.js';

/** Epoch milliseconds. */
const time = z.int();

export const Subscription = z.object({
  id: Ulid,
  projectId: Ulid,
  contractVersion: z.int(),
  owner: SubscriptionParty,
  filter: FilterFields,
  filterFingerprint: z.string(),
  matchKeyCount: z.int(),
  deliveryPreference: z.object({
    requested: z.enum(requestedDeliveries),
    resolved: z.enum(resolvedDeliveries),
    target: DeliveryTarget,
  }),
  channel: z.nullable(z.object({ name: z.string(), watermark: z.int() })),
  state: z.enum(subscriptionStates),
  reason: z.nullable(z.string()),
  createdAt: time,
  updatedAt: time,
  expiresAt: time,
  lastMatchedAt: z.nullable(time),
  cancelledAt: z.nullable(time),
  cancelledBy: z.nullable(SubscriptionParty),
  cancelReason: z.nullable(z.string()),
});

export const EventDelivery = z.object({
  id: Ulid,
  state: z.enum(deliveryStates),
  deliveryChannel: z.enum(['prompt_queue', 'pull']),
  deliveredVia: z.nullable(z.string()),
  requestedDelivery: z.enum(requestedDeliveries),
  resolvedDelivery: z.enum(resolvedDeliveries),
  createdAt: time,
  updatedAt: time,
  deliveredAt: z.nullable(time),
  ackedAt: z.nullable(time),
  terminalAt: z.nullable(time),
  terminalReason: z.nullable(z.string()),
});
