// GET /api/projects/{projectId}/sessions/{sessionId}/resource-timeline
import { readTimeline } from '../../domain/resource-history/read-timeline.js';
import { readSummary, summaryKey } from '../../domain/resource-history/summary.js';
import { chatRoute } from '../../edge/chat-route.js';
import { timeline } from './contract.js';

export const handler = chatRoute(
  timeline,
  async ({ chat: { chatId }, find, table, now }) => {
    const summary = readSummary(find(summaryKey(chatId)), now);
    return { status: 200, body: await readTimeline(table, { sessionId: chatId, summary, now }) };
  },
  (_projectId, chatId) => [summaryKey(chatId)],
);
