import * as z from 'zod/mini';
import { InvalidRequest } from '../../../shared/errors.js';
import { changeTask, moveTask } from '../../tasks/change-task.js';
import { maxMessageLength, type Task } from '../../tasks/task.js';
import { ideaId } from '../arguments.js';
import { ideaChanged } from '../errors.js';
import { ideaFields, ideaView, loadIdea, requireIdea } from '../idea.js';
import { tool } from '../tool.js';

export const updateIdea = tool({
  name: 'update_idea',
  description:
    'Change an idea of the project; omitted arguments keep their values. With append, content is added to the text. Returns the changed idea. An idea that was run fails with TASK_NOT_IN_STATE. Repeating the call changes nothing.',
  policy: { equals: ['task.change', 'task.setStatus'] },
  args: z.strictObject({
    ideaId,
    title: z.optional(ideaFields.title),
    content: z.optional(ideaFields.content),
    append: z._default(
      z.boolean().check(z.describe('Add content below the present text. Default: false, replace the text.')),
      false,
    ),
    priority: z.optional(ideaFields.priority),
    status: z.optional(
      z
        .enum(['ready', 'cancelled'])
        .check(z.describe('ready: a person can run the idea. cancelled: the idea is closed.')),
    ),
  }),
  handle: async ({ ideaId: taskId, content, append, status, ...fields }, { caller, table, now }) => {
    const task = await loadIdea(table, caller.project.projectId, taskId);
    const description = append ? appended(task, content) : content;
    const change = { task, set: { ...fields, description }, guard: sameContent(task, append), now };
    const actor = { actorType: 'agent', actorId: caller.token.agentSessionId } as const;
    const { task: changed } =
      status === undefined || status === task.status
        ? await changeTask(table, change)
        : await moveTask(table, { ...change, to: status, actor });
    return ideaView(changed);
  },
});

/** A text that ends with the content is the result of an earlier try of this call. */
function appended({ description }: Task, content: string | undefined): string | undefined {
  if (content === undefined || description?.endsWith(content)) return undefined;
  const whole = description ? `${description}\n\n${content}` : content;
  if (whole.length > maxMessageLength)
    throw new InvalidRequest('The request is invalid', [
      {
        field: 'content',
        message: `Can have at most ${maxMessageLength} characters together with the present text`,
      },
    ]);
  return whole;
}

/** Appending must not overwrite a concurrent change of the text. */
const sameContent =
  (seen: Task, append: boolean) =>
  (task: Task): void => {
    requireIdea(task);
    if (append && task.description !== seen.description) throw ideaChanged();
  };
