// GET /api/projects/{projectId}/sessions/{sessionId}/resource-history
import { Chat, chatKey } from '../../domain/chats/chat.js';
import { chatNotFound } from '../../domain/chats/errors.js';
import { ofSession } from './contract.js';
import { historyRoute } from './history-route.js';

export const handler = historyRoute(ofSession, {
  of: 'conversation',
  param: 'sessionId',
  key: (_projectId, chatId) => chatKey(chatId),
  idOf: (item) => Chat.parse(item).chatId,
  missing: chatNotFound,
});
