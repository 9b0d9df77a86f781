// GET /api/inbox
import { inboxView } from '../../domain/inbox/inbox-view.js';
import { listInbox } from '../../domain/inbox/list-inbox.js';
import { sessionRoute } from '../../edge/session-route.js';
import { list } from './contract.js';

export const handler = sessionRoute(list, async ({ query, user, table }) => {
  const { items, ...page } = await listInbox(table, user.userId, { ...query, cursorKey: user.cursorKey });
  return { status: 200, body: { items: items.map(inboxView), ...page } };
});
