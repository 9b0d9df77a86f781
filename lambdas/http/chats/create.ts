// POST /api/projects/{projectId}/sessions
import { newChat } from '../../domain/chats/chat.js';
import { createChat } from '../../domain/chats/create-chat.js';
import { findChat } from '../../domain/chats/find-chat.js';
import { createOnce } from '../../domain/idempotency/create-once.js';
import { workspaceNotFound } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { chatView } from './chat-view.js';
import { create } from './contract.js';

export const handler = capabilityRoute(create, async ({ request, params, body, user, table, now, newId }) => {
  const { projectId } = params;
  const { workspaceId = null, topic = null } = body;
  if (workspaceId !== null) {
    const workspace = await findOwnWorkspace(table, workspaceId, user.userId);
    if (workspace.projectId !== projectId) throw workspaceNotFound();
  }
  const { userId } = user;
  const chat = await createOnce(table, {
    kind: 'chat',
    userId,
    key: idempotencyKeyOf(request, { projectId, body }),
    newId,
    now,
    find: (chatId) => findChat(table, chatId),
    create: (chatId) =>
      createChat(table, newChat({ chatId, projectId, userId, workspaceId, topic, taskId: null }, now), now),
  });
  const location = `/api/projects/${projectId}/sessions/${chat.chatId}`;
  return { status: 201, body: chatView(chat), headers: { location } };
});
