import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { type MessageClass, messageClasses } from '../../prompts/prompt.js';
import { UrgentToOthers } from '../errors.js';
import { loadTask } from '../load-task.js';
import { RepeatKey } from '../repeat-key.js';
import { maxAgentMessage, sendMessage } from '../send-message.js';
import { tool } from '../tool.js';

/** These wait for the end of the recipient's turn; the others end it. */
const patient: readonly MessageClass[] = ['notify', 'deliver'];
const maxMetadataLength = 4_096;

export const sendDurableMessage = tool({
  name: 'send_durable_message',
  description:
    'Tell the agent of any task of the project something. notify and deliver wait for the end of its turn; interrupt, preempt_and_replan and shutdown_with_final_prompt end it, and go to sub-tasks of yours only: with preempt_and_replan what you sent before and was not delivered is taken back, with shutdown_with_final_prompt the sub-task is cancelled after its answer. With an idempotencyKey a repeat sends nothing twice.',
  rights: { capability: 'task:write' },
  args: z.strictObject({
    targetTaskId: Ulid,
    message: z.string().check(z.maxLength(maxAgentMessage), z.regex(/\S/u, 'Says nothing')),
    messageClass: z._default(z.enum(messageClasses), 'deliver'),
    metadata: z.optional(
      z
        .record(z.string(), z.unknown())
        .check(z.refine((all) => JSON.stringify(all).length <= maxMetadataLength, 'Too long in all')),
    ),
    idempotencyKey: z.optional(RepeatKey),
  }),
  handle: async ({ targetTaskId, ...said }, context) => {
    const { project, task } = context.caller;
    const found = await loadTask(context.table, project.projectId, targetTaskId);
    const isOwn = task !== null && found.task.parentTaskId === task.taskId;
    if (!isOwn && !patient.includes(said.messageClass)) throw new UrgentToOthers();
    return sendMessage(context, found, said);
  },
});
