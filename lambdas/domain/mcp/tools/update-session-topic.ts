import * as z from 'zod/mini';
import { changeTopic } from '../../chats/change-chat.js';
import { Topic } from '../../chats/chat.js';
import { tool } from '../tool.js';

export const updateSessionTopic = tool({
  name: 'update_session_topic',
  description:
    'Set the topic of your chat session, so that people recognise it in the list of sessions. Call it when the subject of the work is clear or changes. Repeating the call changes nothing.',
  policy: {
    equals: 'none',
    reason: 'Names the session of the caller; no route renames a session',
    capability: 'task:write',
  },
  args: z.strictObject({ topic: Topic.check(z.describe('One line of at most 200 characters.')) }),
  handle: async ({ topic }, { caller: { chat }, table, now }) => {
    await changeTopic(table, chat, { topic, now });
    return { sessionId: chat.chatId, topic };
  },
});
