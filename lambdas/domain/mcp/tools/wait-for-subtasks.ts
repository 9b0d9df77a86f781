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
    'Register a wait for tasks of the project and get one prompt when they have ended. Store your state and the waitKey first, then call, then end your turn. condition is all (default) or any; wakeAfterSeconds limits the wait (at most 86,400). Repeating the call with the same waitKey returns the same wait.',
  policy: { equals: ['task.read', 'chat.prompt'] },
  args: z.strictObject({
    taskIds: z.array(Ulid).check(
      z.minLength(1),
      z.maxLength(20),
      z.refine((ids) => new Set(ids).size === ids.length, 'Must not contain a task twice'),
    ),
    waitKey: WaitKey,
    condition: z._default(z.enum(waitConditions), 'all'),
    wakeAfterSeconds: z._default(z.int().check(z.gte(1), z.lte(maxWaitSeconds)), maxWaitSeconds),
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
