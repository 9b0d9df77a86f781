import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { derivedId } from '../../shared/derived-id.js';
import { orNull, withoutNulls } from '../records/changes.js';
import { EventFilter } from './event-filter.js';
import { requestedDeliveries, resolvedDeliveries } from './resolve-delivery.js';

export const maxActiveSubscriptions = 200;
export const maxReasonBytes = 1_024;
/** Of subscriptions for messages between two agents. */
export const managedKeyPrefix = 'svc-agent-message:';
/** Keys that begin with `svc-` belong to the control plane. */
export const SubscriptionKey = z
  .string()
  .check(
    z.regex(
      /^(?!svc-)[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
      'Must be 1 to 128 letters, digits and ._:-, and not begin with svc-',
    ),
  );

export const subscriptionStates = ['active', 'cancelled', 'expired'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** Of a subscription, or who cancelled it. */
export const SubscriptionParty = z.object({
  type: z.enum(['human', 'agent', 'system', 'policy', 'standing_watch']),
  id: z.string(),
  name: z.optional(z.string()),
});
export type SubscriptionParty = z.infer<typeof SubscriptionParty>;

/** An agent that replaces another one in the same chat keeps its subscriptions. */
export const agentOwnerId = (projectId: string, chatId: string): string => `${projectId}:${chatId}`;

/** A follower of a channel: only publications after the watermark of its generation match. */
export const FollowedChannel = z.object({
  name: z.string(),
  generation: z.string(),
  watermark: z.int(),
  /** No later publication matches: another subscription takes them. */
  through: z.optional(z.int()),
});
export type FollowedChannel = z.infer<typeof FollowedChannel>;

export const DeliveryTarget = z.object({
  sessionId: orNull(z.string()),
  taskId: orNull(z.string()),
  runtimeId: orNull(z.string()),
  agentId: orNull(z.string()),
});
export type DeliveryTarget = z.infer<typeof DeliveryTarget>;

export const EventSubscription = z.object({
  subscriptionId: Ulid,
  projectId: Ulid,
  contractVersion: z.int(),
  owner: SubscriptionParty,
  /** Of an agent: its chat, and its task if it has one. */
  ownerChatId: orNull(Ulid),
  ownerTaskId: orNull(Ulid),
  /** The person with whose rights the owner works. */
  ownerUserId: orNull(Ulid),
  /** Chosen by the owner, unique for it. */
  idempotencyKey: z.string(),
  /** Digest of the request: a repeat with another one is a conflict. */
  definition: z.string(),
  filter: EventFilter,
  filterFingerprint: z.string(),
  matchKeyCount: z.int(),
  requestedDelivery: z.enum(requestedDeliveries),
  resolvedDelivery: z.enum(resolvedDeliveries),
  target: DeliveryTarget,
  channel: orNull(FollowedChannel),
  /** As it is stored. `effectiveState` knows an end that no sweep has marked yet. */
  state: z.enum(subscriptionStates),
  reason: orNull(z.string()),
  /** When it expires. `expiresAt` of the item is its deletion. */
  endsAt: z.iso.datetime(),
  /** Also the sequence of its newest match. */
  matchCount: z.int(),
  lastMatchedAt: orNull(z.iso.datetime()),
  cancelledAt: orNull(z.iso.datetime()),
  cancelledBy: orNull(SubscriptionParty),
  cancelReason: orNull(z.string()),
  /** When a wake with its open matches is due. */
  wakeDueAt: orNull(z.iso.datetime()),
  /** The wakes that it has caused, and the time of the last one. */
  wakeCount: z.optional(z.int()),
  lastWakeAt: z.optional(z.iso.datetime()),
  /** No wake before this time. */
  wakeCooldownUntil: z.optional(z.iso.datetime()),
  /** Its matches up to this sequence wait for no wake. */
  wakeThrough: z.optional(z.int()),
  version: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type EventSubscription = z.infer<typeof EventSubscription>;

const keptSeconds = 30 * 24 * 60 * 60;
export const deletedAfter = (at: string): number => Math.floor(Date.parse(at) / 1_000) + keptSeconds;

/** The partition of a subscription, of its matches and of its batches. */
export const subscriptionPartition = (subscriptionId: string): string =>
  `EVENTSUBSCRIPTION#${subscriptionId}`;

export const subscriptionKey = (subscriptionId: string) => ({
  pk: subscriptionPartition(subscriptionId),
  sk: 'SUBSCRIPTION',
});

/** One for each idempotency key of an owner: a repeat has the same id. */
export const subscriptionIdOf = (
  projectId: string,
  { type, id }: Pick<SubscriptionParty, 'type' | 'id'>,
  idempotencyKey: string,
): string => derivedId('event-subscription', projectId, type, id, idempotencyKey);

export const subscriptionItem = (subscription: EventSubscription) => ({
  ...subscriptionKey(subscription.subscriptionId),
  entity: 'event-subscription',
  schemaVersion: 1,
  expiresAt: deletedAfter(subscription.endsAt),
  ...withoutNulls(subscription),
});

/** The list of ended subscriptions of a project in the index `byOwner`, by the time of the end. */
export const endedSubscriptions = (projectId: string): string => `PROJECT#${projectId}#ENDEDSUBSCRIPTIONS`;

/** The number of active subscriptions of a project, for the limit. */
export const subscriptionCountKey = (projectId: string) => ({
  pk: `PROJECT#${projectId}`,
  sk: 'EVENTSUBSCRIPTIONCOUNT',
});

/** The state that readers see: an elapsed subscription is expired before the sweep marks it. */
export const effectiveState = (
  { state, endsAt }: Pick<EventSubscription, 'state' | 'endsAt'>,
  now: Date,
): SubscriptionState => (state === 'active' && Date.parse(endsAt) <= now.getTime() ? 'expired' : state);
