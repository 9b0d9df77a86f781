// POST /api/projects/{projectId}/event-subscriptions/{subscriptionId}/cancel
import { cancelSubscription } from '../../domain/event-subscriptions/end-subscription.js';
import { subscriptionNotCancellable } from '../../domain/event-subscriptions/errors.js';
import { subscriptionView } from '../../domain/event-subscriptions/subscription-view.js';
import { cancel } from './contract.js';
import { subscriptionRoute } from './subscription-route.js';

export const handler = subscriptionRoute(cancel, async ({ subscription: found, user, body, table, now }) => {
  if (found.owner.type !== 'human' && found.owner.type !== 'agent') throw subscriptionNotCancellable();
  const by = { type: 'human', id: user.userId } as const;
  const { reason = null } = body;
  const { subscription, ...outcome } = await cancelSubscription(table, found, { by, reason, now });
  return { status: 200, body: { subscription: subscriptionView(subscription, now), ...outcome } };
});
