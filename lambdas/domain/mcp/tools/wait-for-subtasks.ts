import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { InvalidRequest } from '../../../shared/errors.js';
import { allow } from '../../policy/allow.js';
import { registerWait } from '../../task-waits/register-wait.js';
import { maxWaitSeconds, WaitKey, waitConditions } from '../../task-waits/task-wait.js';
import { tool } from '../tool.js';

export const waitForSubtasks = tool({
  name: 'wait_for_subtasks',
  description:
    'Register a wait for tasks of the project and get one prompt when they have ended or the time has passed. Store your state and the waitKey first, then call, then end your turn. A task has ended when it is completed, failed, cancelled or deleted. Limit: 100 active waits of a project. Repeating the call with the same waitKey and arguments returns the same wait; other arguments fail with WAIT_KEY_REUSED.',
  policy: { equals: ['task.read', 'chat.prompt'] },
  args: z.strictObject({
    taskIds: z.array(Ulid).check(
      z.minLength(1),
      z.maxLength(20),
      z.refine((ids) => new Set(ids).size === ids.length, 'Must not contain a task twice'),
      z.describe('Ids of 1 to 20 different tasks of the project, not of your own task.'),
    ),
    waitKey: WaitKey.check(
      z.describe(
        'Identifies the wait in your session. Choose 1 to 128 letters, digits and ._:- that begin with a letter or digit.',
      ),
    ),
    condition: z._default(
      z
        .enum(waitConditions)
        .check(z.describe('all (default): every task has ended. any: at least one has ended.')),
      'all',
    ),
    wakeAfterSeconds: z._default(
      z
        .int()
        .check(
          z.gte(1),
          z.lte(maxWaitSeconds),
          z.describe('End the wait after this number of seconds, 1 to 86,400. Default: 86,400.'),
        ),
      maxWaitSeconds,
    ),
  }),
  handle: async (asked, { caller, table, now, newId }) => {
    const { token, task } = caller;
    if (task && asked.taskIds.includes(task.taskId))
      throw new InvalidRequest('A task cannot wait for itself. Remove your own task from taskIds.', [
        { field: 'taskIds', message: 'Contains your own task.' },
      ]);
    const { projectId, chatSessionId: chatId } = token;
    allow('chat.prompt', caller, caller.chat);
    const { created, wait } = await registerWait(
      table,
      { ...asked, waitId: newId(), chatId, projectId },
      now,
    );
    const { waitId, waitKey, state, resolution, condition, taskIds, wakeDeadline } = wait;
    return {
      registered: true,
      created,
      waitId,
      waitKey,
      state,
      resolution,
      condition,
      taskIds,
      wakeDeadline,
      instruction: instructions[state],
    };
  },
});

const instructions = {
  active: 'End your turn now. A prompt starts your next turn when the wait ends.',
  resolved: 'The wait has ended. End your turn: the prompt with the result is sent or queued.',
  cancelled: 'The wait was cancelled. No prompt is sent.',
} as const;
