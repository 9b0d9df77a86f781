// DELETE /api/push-subscriptions/{pushSubscriptionId}
import { removeSubscriptions } from '../../domain/push/change-subscriptions.js';
import { sessionRoute } from '../../edge/session-route.js';
import { unsubscribePush } from './contract.js';

export const handler = sessionRoute(unsubscribePush, async ({ params, user, table }) => {
  await removeSubscriptions(
    table,
    user.userId,
    ({ subscriptionId }) => subscriptionId === params.pushSubscriptionId,
  );
  return { status: 200, body: { success: true } };
});
