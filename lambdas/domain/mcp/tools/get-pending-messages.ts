import * as z from 'zod/mini';
import { listWaitingPrompts } from '../../prompts/list-waiting-prompts.js';
import { tool } from '../tool.js';

export const getPendingMessages = tool({
  name: 'get_pending_messages',
  description:
    'What other agents have sent you that has not reached you yet. Each of them becomes a prompt of its own when your turn ends: reading it here does not take it away.',
  rights: { capability: 'project:read' },
  isReadOnly: true,
  args: z.strictObject({}),
  handle: async (_args, { caller: { chat }, table }) => {
    const waiting = await listWaitingPrompts(table, chat.chatId);
    const messages = waiting
      .filter(({ senderType }) => senderType !== 'human')
      .map(
        ({ promptMessageId, sourceTaskId, messageClass, content, metadata, deliveryState, createdAt }) => ({
          ...{ messageId: promptMessageId, sourceTaskId, messageClass, content, metadata },
          ...{ deliveryState, createdAt },
        }),
      );
    return { messages };
  },
});
