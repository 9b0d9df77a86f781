// GET /api/projects/{projectId}/sessions/{sessionId}/resource-timeline/chunks/{chunkId}
import { type HistoryScope, keysOfHistory, readDetail } from '../../domain/resource-history/read-history.js';
import { chatRoute } from '../../edge/chat-route.js';
import { uploads } from '../../shared/clients/uploads.js';
import { timelineChunk } from './contract.js';

const scopeOf = (projectId: string, scopeId: string): HistoryScope => {
  return { projectId, scopeId, of: 'conversation' };
};

export const handler = chatRoute(
  timelineChunk,
  async ({ chat: { chatId, projectId }, params: { chunkId }, find, now }) => {
    const request = { chunkId, objects: uploads, now };
    return { status: 200, body: await readDetail(find, scopeOf(projectId, chatId), request) };
  },
  (projectId, chatId, event) => keysOfHistory(scopeOf(projectId, chatId), event.pathParameters?.chunkId),
);
