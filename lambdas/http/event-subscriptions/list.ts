// GET /api/projects/{projectId}/event-subscriptions
import { listSubscriptions } from '../../domain/event-subscriptions/find-subscription.js';
import { subscriptionView } from '../../domain/event-subscriptions/subscription-view.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { list } from './contract.js';

export const handler = capabilityRoute(list, async ({ query, project: { projectId }, table, now }) => {
  const { subscriptions, hasMore } = await listSubscriptions(table, { ...query, projectId }, now);
  return {
    status: 200,
    body: { subscriptions: subscriptions.map((each) => subscriptionView(each, now)), hasMore },
  };
});
