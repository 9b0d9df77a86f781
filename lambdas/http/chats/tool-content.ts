// GET /api/projects/{projectId}/sessions/{sessionId}/messages/{sequence}/tool-content
import { pageMessages } from '../../domain/chats/page-messages.js';
import { chatRoute } from '../../edge/chat-route.js';
import { NotFound } from '../../shared/errors.js';
import { toolContent } from './contract.js';

export const handler = chatRoute(toolContent, async ({ chat, params: { sequence }, user, table }) => {
  const range = { after: sequence - 1, before: sequence + 1, order: 'asc' } as const;
  const { messages } = await pageMessages(
    table,
    { chatId: chat.chatId, ...range },
    { limit: 1, cursorKey: user.cursorKey },
  );
  const content = messages[0]?.toolMetadata?.content;
  if (content === undefined) throw new NotFound('Tool content');
  return { status: 200, body: { content } };
});
