import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { askedAgain } from '../../launch/asked-again.js';
import { TaskNotInState } from '../../tasks/errors.js';
import { isOver } from '../../tasks/task-status.js';
import { dispatch } from '../dispatch.js';
import { RetryLimitReached } from '../errors.js';
import { loadSubTask } from '../load-task.js';
import { ownTask } from '../own-task.js';
import { tool } from '../tool.js';

/** Of one piece of work, each the retry of the one before. */
const maxRetries = 3;

export const retrySubtask = tool({
  name: 'retry_subtask',
  description:
    'Have a sub-task of yours that has ended done anew, as a new task; with newDescription when the old one was not good enough. A task is retried once, and its retry in turn, three times in all.',
  rights: { capability: 'task:write', task: true },
  args: z.strictObject({
    taskId: Ulid,
    newDescription: z.optional(z.string().check(z.maxLength(32_000), z.regex(/\S/u, 'Says nothing'))),
  }),
  handle: async ({ taskId, newDescription }, context) => {
    const { task } = await loadSubTask(context.table, ownTask(context.caller), taskId);
    const { status, retryCount, description, title, priority, agentProfileId, skillId, launch } = task;
    if (!isOver(status)) throw new TaskNotInState(status, 'stop it first');
    if (retryCount >= maxRetries) throw new RetryLimitReached(maxRetries);
    return dispatch(
      context,
      {
        message: newDescription ?? description ?? title,
        request: askedAgain(launch),
        ...{ priority, retryOf: { taskId, retryCount } },
        agentProfileId: agentProfileId ?? undefined,
        skillId: skillId ?? undefined,
      },
      `retry ${taskId}`,
    );
  },
});
