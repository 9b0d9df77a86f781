import * as z from 'zod/mini';
import { channelLimits } from '../../event-channels/channel-limits.js';
import { allow } from '../../policy/allow.js';
import { type MessageClass, messageClasses } from '../../prompts/prompt.js';
import { agentText, idOf, inDigits, maxJson, repeatKey } from '../arguments.js';
import { interruptForbidden } from '../errors.js';
import { loadTask } from '../load-task.js';
import { maxAgentMessage, sendMessage } from '../send-message.js';
import { tool } from '../tool.js';

/** These wait for the end of the recipient's turn; the others cancel it. */
const waiting: readonly MessageClass[] = ['notify', 'deliver'];
const maxMetadataLength = 4_096;

export const sendDurableMessage = tool({
  name: 'send_durable_message',
  description: `Send a message to the agent of another task of the same person. The recipient must acknowledge it with ack_message, or with ack_event_delivery when transport of the result is agent_message_channel (at most ${inDigits(channelLimits.messageBytes)} bytes then). messageClass notify and deliver wait for the end of the running turn. interrupt, preempt_and_replan and shutdown_with_final_prompt cancel the turn and work on your own subtasks only: preempt_and_replan also withdraws your undelivered messages; shutdown_with_final_prompt needs no acknowledgement and cancels the subtask after its answer. Returns messageId and deliveryState. A task of another person fails with NOT_SESSION_CREATOR; read that task with get_task_details and get_session_messages instead. Repeating the call with the same idempotencyKey sends the message once.`,
  policy: { equals: ['chat.prompt'] },
  args: z.strictObject({
    targetTaskId: idOf('Id of another task of the project.'),
    message: agentText(maxAgentMessage, 'Text of the message.'),
    messageClass: z._default(
      z
        .enum(messageClasses)
        .check(z.describe('Effect on the running turn of the recipient. Default: deliver.')),
      'deliver',
    ),
    metadata: z.optional(
      z
        .record(z.string(), z.unknown())
        .check(
          maxJson(maxMetadataLength),
          z.describe('Structured data for the recipient, at most 4,096 characters as JSON.'),
        ),
    ),
    idempotencyKey: repeatKey('Identifies the message, so that a repeat of the call sends it once.'),
  }),
  handle: async ({ targetTaskId, ...rest }, context) => {
    const { project, task } = context.caller;
    const found = await loadTask(context.table, project.projectId, targetTaskId);
    if (found.chat) allow('chat.prompt', context.caller, found.chat);
    const isOwn = task !== null && found.task.parentTaskId === task.taskId;
    if (!isOwn && !waiting.includes(rest.messageClass)) throw interruptForbidden();
    return sendMessage(context, found, rest);
  },
});
