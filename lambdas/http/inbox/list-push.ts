// GET /api/push-subscriptions
import { loadSubscriptions } from '../../domain/push/change-subscriptions.js';
import { pushApplicationKey } from '../../edge/push.js';
import { sessionRoute } from '../../edge/session-route.js';
import { listPush } from './contract.js';
import { pushView } from './push-view.js';

export const handler = sessionRoute(listPush, async ({ user, table }) => {
  const [{ subscriptions }, { publicKey }] = await Promise.all([
    loadSubscriptions(table, user.userId),
    pushApplicationKey(),
  ]);
  const items = subscriptions.map((one) => pushView(one, user.sessionHash));
  return { status: 200, body: { applicationServerKey: publicKey, items } };
});
