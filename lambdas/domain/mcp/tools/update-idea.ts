import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { InvalidRequest } from '../../../shared/errors.js';
import { changeTask, moveTask } from '../../tasks/change-task.js';
import { maxMessageLength, type Task } from '../../tasks/task.js';
import { ideaChanged } from '../errors.js';
import { ideaFields, ideaView, loadIdea, requireIdea } from '../idea.js';
import { tool } from '../tool.js';

export const updateIdea = tool({
  name: 'update_idea',
  description:
    'Change an idea of the project. content replaces the text; with append it is added below. status ready lets a person run the idea, cancelled closes it. Repeating the call changes nothing.',
  policy: { equals: ['task.change', 'task.setStatus'] },
  args: z.strictObject({
    ideaId: Ulid,
    title: z.optional(ideaFields.title),
    content: z.optional(ideaFields.content),
    append: z._default(z.boolean(), false),
    priority: z.optional(ideaFields.priority),
    status: z.optional(z.enum(['ready', 'cancelled'])),
  }),
  handle: async ({ ideaId, content, append, status, ...fields }, { caller, table, now }) => {
    const task = await loadIdea(table, caller.project.projectId, ideaId);
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

/** What is there at the end already was put there by this very call, before. */
function appended({ description }: Task, content: string | undefined): string | undefined {
  if (content === undefined || description?.endsWith(content)) return undefined;
  const whole = description ? `${description}\n\n${content}` : content;
  if (whole.length > maxMessageLength)
    throw new InvalidRequest('The request is invalid', [
      {
        field: 'content',
        message: `With what is there longer than ${maxMessageLength} characters`,
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
