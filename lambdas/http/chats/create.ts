// POST /api/projects/{projectId}/sessions
import { chatItem, newChat } from '../../domain/chats/chat.js';
import { putItem } from '../../domain/records/change-item.js';
import { workspaceNotFound } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { chatView } from './chat-view.js';
import { create } from './contract.js';

export const handler = capabilityRoute(create, async ({ params, body, user, table, now, newId }) => {
  const { projectId } = params;
  const { workspaceId = null, topic = null } = body;
  if (workspaceId !== null) {
    const workspace = await findOwnWorkspace(table, workspaceId, user.userId);
    if (workspace.projectId !== projectId) throw workspaceNotFound();
  }
  const chat = newChat(
    { chatId: newId(), projectId, userId: user.userId, workspaceId, topic, taskId: null },
    now,
  );
  await putItem(table, chatItem(chat), { exists: false });
  const location = `/api/projects/${projectId}/sessions/${chat.chatId}`;
  return { status: 201, body: chatView(chat), headers: { location } };
});
