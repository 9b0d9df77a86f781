// GET /api/projects/{projectId}/sessions/{sessionId}/interactions
import { listInteractions } from '../../domain/interactions/list-interactions.js';
import { chatRoute } from '../../edge/chat-route.js';
import { interactions } from './interaction-contract.js';
import { summaryView, waitingView } from './interaction-view.js';

export const handler = chatRoute(interactions, async ({ chat, query, user, table, now }) => {
  const page = { cursor: query.cursor, cursorKey: user.cursorKey, now };
  const { pending, settled, nextCursor } = await listInteractions(table, chat.chatId, page);
  if (chat.userId !== user.userId)
    return {
      status: 200,
      body: { pending: pending.map((each) => waitingView(each, now)), settled: [], cursor: null },
    };
  const view = (list: typeof pending) => list.map((each) => summaryView(each, now));
  return { status: 200, body: { pending: view(pending), settled: view(settled), cursor: nextCursor } };
});
