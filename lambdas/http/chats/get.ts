// GET /api/projects/{projectId}/sessions/{sessionId}
import { messageView } from '../../domain/chats/message-view.js';
import { pageMessages } from '../../domain/chats/page-messages.js';
import { Task, taskKey } from '../../domain/tasks/task.js';
import { chatRoute } from '../../edge/chat-route.js';
import { taskSummary } from '../tasks/task-view.js';
import { chatView, stateView } from './chat-view.js';
import { get } from './contract.js';

export const handler = chatRoute(
  get,
  async ({ chat, query: { limit }, find, user, table }) => {
    const { messages, nextCursor } = await pageMessages(
      table,
      { chatId: chat.chatId, order: 'desc' },
      { limit, cursorKey: user.cursorKey },
    );
    const task = find(taskKey(chat.projectId, chat.chatId));
    return {
      status: 200,
      body: {
        session: { ...chatView(chat), task: task ? taskSummary(Task.parse(task)) : null },
        messages: messages.map(messageView).reverse(),
        hasMore: nextCursor !== null,
        state: stateView(chat),
      },
    };
  },
  // A task has the id of its chat.
  (projectId, chatId) => [taskKey(projectId, chatId)],
);
