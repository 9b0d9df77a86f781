// GET /api/projects/{projectId}
import { pageChats } from '../../domain/chats/page-chats.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { get } from './contract.js';
import { projectView } from './project-view.js';

const recent = 10;

export const handler = capabilityRoute(get, async ({ project, member, user, table }) => {
  const { projectId } = project;
  const { chats } = await pageChats(table, { projectId }, { limit: recent, cursorKey: user.cursorKey });
  const times = chats.map(({ lastMessageAt, createdAt }) => lastMessageAt ?? createdAt).sort();
  return {
    status: 200,
    body: {
      ...projectView(project, member),
      lastActivityAt: times.at(-1) ?? null,
      recentSessions: chats.map(({ chatId, userId, topic, status, workspaceId, taskId, ...chat }) => ({
        ...{ id: chatId, createdByUserId: userId, topic, status, workspaceId, taskId },
        ...{ lastMessageAt: chat.lastMessageAt, createdAt: chat.createdAt },
      })),
    },
  };
});
