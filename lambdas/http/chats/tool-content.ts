// GET /api/projects/{projectId}/sessions/{sessionId}/messages/{sequence}/tool-content

import { contentKey } from '../../domain/chats/message.js';
import { pageMessages } from '../../domain/chats/page-messages.js';
import { chatRoute } from '../../edge/chat-route.js';
import { uploads } from '../../shared/clients/uploads.js';
import { NotFound } from '../../shared/errors.js';
import { presignObject } from '../../shared/object-store.js';
import { toolContent } from './contract.js';

/** The client follows the redirect at once. */
const addressSeconds = 60;

export const handler = chatRoute(toolContent, async ({ chat, params: { sequence }, user, table, now }) => {
  const range = { after: sequence - 1, before: sequence + 1, order: 'asc' } as const;
  const { messages } = await pageMessages(
    table,
    { chatId: chat.chatId, ...range },
    { limit: 1, cursorKey: user.cursorKey },
  );
  const [message] = messages;
  if (message?.whole) {
    const key = contentKey('kept', chat, { messageId: message.messageId, whole: message.whole });
    const read = { method: 'GET', key, headers: {}, expiresInSeconds: addressSeconds, now } as const;
    return { status: 302, headers: { location: await presignObject(uploads, read) } };
  }
  const content = message?.toolMetadata?.content ?? (message?.role === 'tool' ? message.content : undefined);
  if (content === undefined) throw new NotFound('Tool content');
  return { status: 200, body: { content } };
});
