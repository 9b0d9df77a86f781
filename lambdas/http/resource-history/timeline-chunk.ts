// GET /api/projects/{projectId}/sessions/{sessionId}/resource-timeline/chunks/{chunkId}
import { Chat, chatKey } from '../../domain/chats/chat.js';
import { chatNotFound } from '../../domain/chats/errors.js';
import { type HistoryScope, keysOfHistory, readDetail } from '../../domain/resource-history/read-history.js';
import { recordRoute } from '../../edge/capability-route.js';
import { pathId } from '../../edge/parse-request.js';
import { uploads } from '../../shared/clients/uploads.js';
import { timelineChunk } from './contract.js';

const scopeOf = (projectId: string, scopeId: string): HistoryScope => {
  return { projectId, scopeId, of: 'conversation' };
};

export const handler = recordRoute(
  timelineChunk,
  {
    keys: (event) => {
      const [projectId, chatId] = [pathId(event, 'projectId'), pathId(event, 'sessionId')];
      const asked = event.pathParameters?.chunkId;
      return [chatKey(chatId), ...keysOfHistory(scopeOf(projectId, chatId), asked)];
    },
    read: (found, { project }) => {
      if (found?.projectId !== project.projectId) throw chatNotFound();
      return { chat: Chat.parse(found) };
    },
  },
  async ({ chat: { chatId, projectId }, params: { chunkId }, find, now }) => {
    const request = { chunkId, objects: uploads, now };
    return { status: 200, body: await readDetail(find, scopeOf(projectId, chatId), request) };
  },
);
