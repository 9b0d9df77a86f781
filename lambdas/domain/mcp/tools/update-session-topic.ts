import * as z from 'zod/mini';
import { changeTopic } from '../../chats/change-chat.js';
import { Topic } from '../../chats/chat.js';
import { tool } from '../tool.js';

export const updateSessionTopic = tool({
  name: 'update_session_topic',
  description:
    'Set the topic of your chat session, one line of up to 200 characters. People see it in the list of sessions. Repeating the call changes nothing.',
  policy: {
    equals: 'none',
    reason: 'Names the session of the caller; no route renames a session',
    capability: 'task:write',
  },
  args: z.strictObject({ topic: Topic }),
  handle: async ({ topic }, { caller: { chat }, table, now }) => {
    await changeTopic(table, chat, { topic, now });
    return { sessionId: chat.chatId, topic };
  },
});
