// GET /api/projects/{projectId}/event-subscriptions/{subscriptionId}/deliveries
import { transportView } from '../../domain/event-subscriptions/delivery-view.js';
import { listDeliveries } from '../../domain/event-subscriptions/list-events.js';
import { deliveries } from './contract.js';
import { subscriptionRoute } from './subscription-route.js';

export const handler = subscriptionRoute(deliveries, async ({ subscription, query, table }) => {
  const page = await listDeliveries(table, subscription.subscriptionId, query.limit);
  return { status: 200, body: { deliveries: page.deliveries.map(transportView), hasMore: page.hasMore } };
});
