import * as z from 'zod/mini';
import { channelLimits } from '../../event-channels/channel-limits.js';
import { agentText, inDigits, repeatKey, subtaskId } from '../arguments.js';
import { loadSubTask, ownTask } from '../load-task.js';
import { maxAgentMessage, sendMessage } from '../send-message.js';
import { tool } from '../tool.js';

export const sendMessageToSubtask = tool({
  name: 'send_message_to_subtask',
  description: `Send a message to the agent of a subtask. The message is the next prompt of that agent after its running turn; the agent must acknowledge it with ack_message, or with ack_event_delivery when transport of the result is agent_message_channel (at most ${inDigits(channelLimits.messageBytes)} bytes then). Returns messageId and deliveryState. A subtask of another person fails with NOT_SESSION_CREATOR. Repeating the call with the same idempotencyKey sends the message once.`,
  policy: { equals: ['chat.prompt'] },
  needsTask: true,
  args: z.strictObject({
    taskId: subtaskId,
    message: agentText(maxAgentMessage, 'Text of the message.'),
    idempotencyKey: repeatKey('Identifies the message, so that a repeat of the call sends it once.'),
  }),
  handle: async ({ taskId, ...rest }, context) => {
    const found = await loadSubTask(context.table, ownTask(context.caller), taskId);
    return sendMessage(context, found, { ...rest, messageClass: 'deliver' });
  },
});
