import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { loadSubTask } from '../load-task.js';
import { ownTask } from '../own-task.js';
import { RepeatKey } from '../repeat-key.js';
import { maxAgentMessage, sendMessage } from '../send-message.js';
import { tool } from '../tool.js';

export const sendMessageToSubtask = tool({
  name: 'send_message_to_subtask',
  description:
    'Tell the agent of a sub-task something. It is its next prompt once its present turn has ended. With an idempotencyKey a repeat sends nothing twice.',
  rights: { capability: 'task:write', task: true },
  args: z.strictObject({
    taskId: Ulid,
    message: z.string().check(z.maxLength(maxAgentMessage), z.regex(/\S/u, 'Says nothing')),
    idempotencyKey: z.optional(RepeatKey),
  }),
  handle: async ({ taskId, ...said }, context) => {
    const found = await loadSubTask(context.table, ownTask(context.caller), taskId);
    return sendMessage(context, found, { ...said, messageClass: 'deliver' });
  },
});
