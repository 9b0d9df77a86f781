import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { allow } from '../../policy/allow.js';
import { type MessageClass, messageClasses } from '../../prompts/prompt.js';
import { interruptForbidden } from '../errors.js';
import { loadTask } from '../load-task.js';
import { maxAgentMessage, sendMessage } from '../send-message.js';
import { RepeatKey, tool } from '../tool.js';

/** These wait for the end of the recipient's turn; the others cancel it. */
const patient: readonly MessageClass[] = ['notify', 'deliver'];
const maxMetadataLength = 4_096;

export const sendDurableMessage = tool({
  name: 'send_durable_message',
  description:
    'Send a message to the agent of another task of the same person. The recipient must acknowledge it with ack_message. messageClass notify and deliver wait for the end of the running turn. interrupt, preempt_and_replan and shutdown_with_final_prompt cancel the turn and work on your own subtasks only: preempt_and_replan also withdraws your undelivered messages, shutdown_with_final_prompt also cancels the subtask after its answer. A message to the task of another person fails with NOT_SESSION_CREATOR; read that task with get_task_details and get_session_messages instead. At most 32,000 characters. Repeating the call with the same idempotencyKey sends nothing twice.',
  policy: { equals: ['chat.prompt'] },
  args: z.strictObject({
    targetTaskId: Ulid,
    message: z.string().check(z.maxLength(maxAgentMessage), z.regex(/\S/u, 'Must contain text')),
    messageClass: z._default(z.enum(messageClasses), 'deliver'),
    metadata: z.optional(
      z
        .record(z.string(), z.unknown())
        .check(
          z.refine(
            (all) => JSON.stringify(all).length <= maxMetadataLength,
            'summary and evidence together have more than 64,000 characters',
          ),
        ),
    ),
    idempotencyKey: z.optional(RepeatKey),
  }),
  handle: async ({ targetTaskId, ...said }, context) => {
    const { project, task } = context.caller;
    const found = await loadTask(context.table, project.projectId, targetTaskId);
    if (found.chat) allow('chat.prompt', context.caller, found.chat);
    const isOwn = task !== null && found.task.parentTaskId === task.taskId;
    if (!isOwn && !patient.includes(said.messageClass)) throw interruptForbidden();
    return sendMessage(context, found, said);
  },
});
