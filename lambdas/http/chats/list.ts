// GET /api/projects/{projectId}/sessions
import { pageChats } from '../../domain/chats/page-chats.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { chatView } from './chat-view.js';
import { list } from './contract.js';

export const handler = capabilityRoute(list, async ({ params, query, user, table }) => {
  const { limit, cursor, status, scope } = query;
  const { chats, nextCursor } = await pageChats(
    table,
    { projectId: params.projectId, status, userId: scope === 'my' ? user.userId : undefined },
    { limit, cursor, cursorKey: user.cursorKey },
  );
  return { status: 200, body: { sessions: chats.map(chatView), nextCursor } };
});
