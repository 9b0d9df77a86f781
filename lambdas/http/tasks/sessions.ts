// GET /api/projects/{projectId}/tasks/{taskId}/sessions
import { Chat, chatKey } from '../../domain/chats/chat.js';
import { taskRoute } from '../../edge/task-route.js';
import { sessions } from './contract.js';

export const handler = taskRoute(
  sessions,
  ({ task, find }) => {
    const chat = find(chatKey(task.taskId));
    return { status: 200, body: { sessions: chat ? [sessionView(Chat.parse(chat))] : [] } };
  },
  (_projectId, taskId) => [chatKey(taskId)],
);

function sessionView({ chatId, topic, status, workspaceId, agentSessionId, ...chat }: Chat) {
  const { messageCount, createdAt, endedAt } = chat;
  return { id: chatId, topic, status, workspaceId, agentSessionId, messageCount, createdAt, endedAt };
}
