// GET /api/projects/{projectId}/sessions/{sessionId}/messages
import { joinFragments, messageView } from '../../domain/chats/message-view.js';
import { pageMessages } from '../../domain/chats/page-messages.js';
import { chatRoute } from '../../edge/chat-route.js';
import { messages as contract } from './contract.js';

export const handler = chatRoute(contract, async ({ chat, query, user, table }) => {
  const { limit, cursor, compact, ...asked } = query;
  const { messages, nextCursor } = await pageMessages(
    table,
    { chatId: chat.chatId, ...asked },
    { limit, cursor, cursorKey: user.cursorKey },
  );
  const shown = compact === 'true' ? joinFragments(messages) : messages;
  return { status: 200, body: { messages: shown.map(messageView), nextCursor } };
});
