import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { loadSubTask, ownTask } from '../load-task.js';
import { maxAgentMessage, sendMessage } from '../send-message.js';
import { RepeatKey, tool } from '../tool.js';

export const sendMessageToSubtask = tool({
  name: 'send_message_to_subtask',
  description:
    'Send a message to the agent of a subtask. The message is the next prompt of that agent after its running turn. A subtask of another person fails with NOT_SESSION_CREATOR. At most 32,000 characters. Repeating the call with the same idempotencyKey sends nothing twice.',
  policy: { equals: ['chat.prompt'] },
  needsTask: true,
  args: z.strictObject({
    taskId: Ulid,
    message: z.string().check(z.maxLength(maxAgentMessage), z.regex(/\S/u, 'Must contain text')),
    idempotencyKey: z.optional(RepeatKey),
  }),
  handle: async ({ taskId, ...said }, context) => {
    const found = await loadSubTask(context.table, ownTask(context.caller), taskId);
    return sendMessage(context, found, { ...said, messageClass: 'deliver' });
  },
});
