// GET /api/projects/{projectId}/sessions/{sessionId}
import { messageView } from '../../domain/chats/message-view.js';
import { pageMessages } from '../../domain/chats/page-messages.js';
import { chatRoute } from '../../edge/chat-route.js';
import { chatView, stateView } from './chat-view.js';
import { get } from './contract.js';

export const handler = chatRoute(get, async ({ chat, query: { limit }, user, table }) => {
  const { messages, nextCursor } = await pageMessages(
    table,
    { chatId: chat.chatId, order: 'desc' },
    { limit, cursorKey: user.cursorKey },
  );
  return {
    status: 200,
    body: {
      session: chatView(chat),
      messages: messages.map(messageView).reverse(),
      hasMore: nextCursor !== null,
      state: stateView(chat),
    },
  };
});
