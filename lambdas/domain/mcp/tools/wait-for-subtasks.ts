import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { InvalidRequest } from '../../../shared/errors.js';
import { registerWait } from '../../task-waits/register-wait.js';
import { maxWaitSeconds, WaitKey, waitConditions } from '../../task-waits/task-wait.js';
import { tool } from '../tool.js';

export const waitForSubtasks = tool({
  name: 'wait_for_subtasks',
  description:
    'End your turn until tasks of the project are over, and be woken once, by a prompt. First write down what you are about and the waitKey; call again with the same waitKey when the answer was lost. Then end your turn.',
  rights: { capability: 'task:read' },
  args: z.strictObject({
    taskIds: z.array(Ulid).check(
      z.minLength(1),
      z.maxLength(20),
      z.refine((ids) => new Set(ids).size === ids.length, 'Each task once'),
    ),
    waitKey: WaitKey,
    condition: z._default(z.enum(waitConditions), 'all'),
    wakeAfterSeconds: z._default(z.int().check(z.gte(1), z.lte(maxWaitSeconds)), maxWaitSeconds),
  }),
  handle: async (asked, { caller: { token, task }, table, now, newId }) => {
    if (task && asked.taskIds.includes(task.taskId))
      throw new InvalidRequest('A task cannot wait for itself', [
        { field: 'arguments.taskIds', message: 'Holds your own task' },
      ]);
    const { projectId, chatSessionId: chatId } = token;
    const { created, wait } = await registerWait(
      table,
      { ...asked, waitId: newId(), chatId, projectId },
      now,
    );
    const { waitId, waitKey, state, resolution, condition, taskIds, wakeDeadline } = wait;
    return {
      ...{ registered: true, created, waitId, waitKey, state, resolution, condition, taskIds, wakeDeadline },
      instruction: instructions[state],
    };
  },
});

const instructions = {
  active: 'End your turn now. You will be woken by a prompt.',
  resolved: 'It is over. The prompt that tells how has been sent, or is on its way: end your turn.',
  cancelled: 'It is over, and nobody was woken.',
} as const;
