import * as z from 'zod/mini';
import { changeTopic } from '../../chats/change-topic.js';
import { Topic } from '../../chats/topic.js';
import { tool } from '../tool.js';

export const updateSessionTopic = tool({
  name: 'update_session_topic',
  description: 'Name your chat session after what it is about by now, so that people find it again.',
  rights: { capability: 'task:write' },
  args: z.strictObject({ topic: Topic }),
  handle: async ({ topic }, { caller: { chat }, table, now }) => {
    await changeTopic(table, chat, { topic, now });
    return { sessionId: chat.chatId, topic };
  },
});
