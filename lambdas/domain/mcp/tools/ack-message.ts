import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { acknowledgePrompt } from '../../prompts/acknowledgement.js';
import { tool } from '../tool.js';

export const ackMessage = tool({
  name: 'ack_message',
  description:
    'Acknowledge a message from another agent. Pass the messageId from its text or from get_pending_messages. An acknowledged message is not delivered again; one that was not delivered yet does not become a prompt. Repeating the call changes nothing.',
  policy: {
    equals: 'none',
    reason:
      'Acknowledges a message to the session of the caller; no route does, because agents read, not people',
    capability: 'task:write',
  },
  args: z.strictObject({ messageId: Ulid }),
  handle: async ({ messageId: deliveryId }, { caller: { chat }, table, now }) => {
    const deliveryState = await acknowledgePrompt(table, { chatId: chat.chatId, deliveryId }, now);
    return { acknowledged: deliveryState === 'acked', deliveryState };
  },
});
