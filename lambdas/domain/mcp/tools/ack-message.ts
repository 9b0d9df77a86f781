import * as z from 'zod/mini';
import { acknowledgePrompt } from '../../prompts/acknowledgement.js';
import { idOf } from '../arguments.js';
import { tool } from '../tool.js';

export const ackMessage = tool({
  name: 'ack_message',
  description:
    'Acknowledge a message from another agent after you have read it. The message is not delivered again; a message that was not delivered yet does not become a prompt. Returns acknowledged and deliveryState; acknowledged is false when the message had already ended. A message that needs no acknowledgement fails with ACK_NOT_REQUIRED. Repeating the call changes nothing.',
  policy: {
    equals: 'none',
    reason:
      'Acknowledges a message to the session of the caller; no route does, because agents read, not people',
    capability: 'task:write',
  },
  args: z.strictObject({ messageId: idOf('Id of the message, from its text or from get_pending_messages.') }),
  handle: async ({ messageId: deliveryId }, { caller: { chat }, table, now }) => {
    const deliveryState = await acknowledgePrompt(table, { chatId: chat.chatId, deliveryId }, now);
    return { acknowledged: deliveryState === 'acked', deliveryState };
  },
});
