// GET /api/projects/{projectId}/sessions/{sessionId}/deliveries
import { pageDeliveries } from '../../domain/prompts/queue.js';
import { chatRoute } from '../../edge/chat-route.js';
import { deliveryView } from './chat-view.js';
import { deliveries } from './contract.js';

export const handler = chatRoute(deliveries, async ({ chat, query: { limit, cursor }, user, table }) => {
  const page = { limit, cursor, cursorKey: user.cursorKey };
  const { prompts, nextCursor } = await pageDeliveries(table, chat.chatId, page);
  return { status: 200, body: { deliveries: prompts.map(deliveryView), nextCursor } };
});
