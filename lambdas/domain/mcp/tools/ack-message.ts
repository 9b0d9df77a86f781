import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { acknowledgePrompt } from '../../prompts/acknowledge-prompt.js';
import { tool } from '../tool.js';

export const ackMessage = tool({
  name: 'ack_message',
  description:
    'Say that you have read a message of another agent, by the messageId that it names or that get_pending_messages shows. It is not sent again; one that has not reached you yet becomes no prompt. Repeating it changes nothing.',
  rights: { capability: 'project:read' },
  args: z.strictObject({ messageId: Ulid }),
  handle: async ({ messageId: deliveryId }, { caller: { chat }, table, now }) => {
    const deliveryState = await acknowledgePrompt(table, { chatId: chat.chatId, deliveryId }, now);
    return { acknowledged: deliveryState === 'acked', deliveryState };
  },
});
