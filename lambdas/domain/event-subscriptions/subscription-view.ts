import { type EventSubscription, effectiveState } from './event-subscription.js';

const millis = (at: string): number => Date.parse(at);
const millisOrNull = (at: string | null): number | null => (at === null ? null : Date.parse(at));

/** A subscription as members and its owner see it. Times are epoch milliseconds. */
export function subscriptionView(subscription: EventSubscription, now: Date) {
  const { subscriptionId: id, projectId, contractVersion, owner, filter, channel } = subscription;
  const { requestedDelivery: requested, resolvedDelivery: resolved, target, reason } = subscription;
  const { filterFingerprint, matchKeyCount, cancelledBy, cancelReason } = subscription;
  return {
    ...{ id, projectId, contractVersion, owner },
    ...{ filter, filterFingerprint, matchKeyCount },
    deliveryPreference: { requested, resolved, target },
    channel: channel && { name: channel.name, watermark: channel.watermark },
    state: effectiveState(subscription, now),
    reason,
    createdAt: millis(subscription.createdAt),
    updatedAt: millis(subscription.updatedAt),
    expiresAt: millis(subscription.endsAt),
    lastMatchedAt: millisOrNull(subscription.lastMatchedAt),
    cancelledAt: millisOrNull(subscription.cancelledAt),
    ...{ cancelledBy, cancelReason },
  };
}

/** For its owner, who may repeat the creation with the key. */
export const ownSubscriptionView = (subscription: EventSubscription, now: Date) => ({
  ...subscriptionView(subscription, now),
  idempotencyKey: subscription.idempotencyKey,
});
