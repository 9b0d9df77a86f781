// DELETE /api/inbox/{itemId}
import { dismissItem } from '../../domain/inbox/dismiss-item.js';
import { sessionRoute } from '../../edge/session-route.js';
import { dismiss } from './contract.js';

export const handler = sessionRoute(dismiss, async ({ params, user, table, now }) => {
  await dismissItem(table, { userId: user.userId, itemId: params.itemId, now });
  return { status: 200, body: { success: true } };
});
