import * as z from 'zod/mini';
import { requestOfLaunch } from '../../launch/request-of-launch.js';
import { allowOnTask } from '../../policy/allow.js';
import { TaskNotInState } from '../../tasks/errors.js';
import { hasEnded } from '../../tasks/task-status.js';
import { agentText, subtaskId } from '../arguments.js';
import { withCoordinationChannel } from '../coordination-channel.js';
import { dispatch } from '../dispatch.js';
import { retryLimitReached } from '../errors.js';
import { loadSubTask, ownTask } from '../load-task.js';
import { placed } from '../placement-hints.js';
import { tool } from '../tool.js';

/** A chain of retries: each task is the retry of the previous one. */
const maxRetries = 3;

export const retrySubtask = tool({
  name: 'retry_subtask',
  description: `Retry a finished subtask as a new task with the same settings. Pass newDescription to change its instructions. Returns the fields of dispatch_task. At most ${maxRetries} retries of one original. A subtask of another person fails with NOT_TASK_CREATOR. Repeating the call returns the same new task.`,
  policy: { equals: ['task.submit', 'task.run'] },
  needsTask: true,
  args: z.strictObject({
    taskId: subtaskId,
    newDescription: z.optional(agentText(32_000, 'Replaces the description. Default: the same description.')),
  }),
  handle: async ({ taskId, newDescription }, context) => {
    const { task } = await loadSubTask(context.table, ownTask(context.caller), taskId);
    allowOnTask('task.run', context.caller, task);
    const { status, retryCount, description, title, priority, agentProfileId, skillId, launch } = task;
    const coordinationChannel = task.coordinationChannel ?? undefined;
    if (!hasEnded(status)) throw new TaskNotInState(status, 'Call stop_subtask first.');
    if (retryCount >= maxRetries) throw retryLimitReached(maxRetries);
    const submitted = await dispatch(
      context,
      {
        message: withCoordinationChannel(newDescription ?? description ?? title, coordinationChannel),
        request: requestOfLaunch(launch),
        priority,
        retryOf: { taskId, retryCount },
        agentProfileId: agentProfileId ?? undefined,
        skillId: skillId ?? undefined,
        coordinationChannel,
        baseBranch: task.baseBranch ?? undefined,
      },
      `retry ${taskId}`,
    );
    return { ...submitted, ...placed({}, context.region) };
  },
});
