// DELETE /api/inbox/{itemId}
import { dismissItem } from '../../domain/inbox/list-inbox.js';
import { sessionRoute } from '../../edge/session-route.js';
import { dismiss } from './contract.js';

export const handler = sessionRoute(dismiss, async ({ params, user, table }) => {
  await dismissItem(table, user.userId, params.itemId);
  return { status: 200, body: { success: true } };
});
