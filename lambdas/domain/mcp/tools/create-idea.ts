import * as z from 'zod/mini';
import { hashRequest, requestKey } from '../../idempotency/request-key.js';
import { createTask } from '../../tasks/create-task.js';
import { newTask } from '../../tasks/task.js';
import { repeatKey } from '../arguments.js';
import { ideaFields } from '../idea.js';
import { tool } from '../tool.js';

export const createIdea = tool({
  name: 'create_idea',
  description:
    'Create an idea: a draft task of the project that a person can run later. No agent starts on it. Returns ideaId, title and status. Limit: 1,000 ideas of its person in all projects (DRAFT_LIMIT_REACHED). Repeating the call within a day returns the same idea (repeated is true); pass another idempotencyKey to create a second one.',
  policy: { equals: ['task.create'] },
  args: z.strictObject({
    title: ideaFields.title,
    content: z.optional(ideaFields.content),
    priority: z._default(ideaFields.priority, 0),
    idempotencyKey: repeatKey('Distinguishes this idea from another one with the same arguments.'),
  }),
  handle: async ({ idempotencyKey, ...asked }, { caller, table, now, newId }) => {
    const { projectId, userId, agentSessionId, chatSessionId } = caller.token;
    const { title, content = null, priority } = asked;
    const draft = { taskId: newId(), projectId, userId, title, description: content, priority };
    const { taskId, isNew } = await createTask(table, newTask({ ...draft, triggeredBy: 'agent' }, now), {
      project: caller.project,
      actor: { actorType: 'agent', actorId: agentSessionId },
      key: requestKey(`mcp idea ${chatSessionId} ${idempotencyKey ?? hashRequest(asked)}`, asked),
    });
    return { ideaId: taskId, title, status: 'draft', repeated: !isNew };
  },
});
