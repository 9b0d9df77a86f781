// GET /api/projects/{projectId}/event-subscriptions/{subscriptionId}
import { subscriptionView } from '../../domain/event-subscriptions/subscription-view.js';
import { get } from './contract.js';
import { subscriptionRoute } from './subscription-route.js';

export const handler = subscriptionRoute(get, ({ subscription, now }) => ({
  status: 200,
  body: { subscription: subscriptionView(subscription, now) },
}));
