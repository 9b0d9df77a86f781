import * as z from 'zod/mini';
import { Ulid } from '../../../../protocol/ids.js';
import { finishTask } from '../../tasks/finish-task.js';
import { hasEnded } from '../../tasks/task-status.js';
import { loadSubTask, ownTask } from '../load-task.js';
import { tool } from '../tool.js';

export const stopSubtask = tool({
  name: 'stop_subtask',
  description:
    'Cancel a subtask and delete its workspace. Pushed commits stay. Repeating the call changes nothing (stopped is false).',
  policy: { equals: ['task.cancel'] },
  needsTask: true,
  args: z.strictObject({
    taskId: Ulid,
    reason: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(1_000))),
  }),
  handle: async ({ taskId, reason }, { caller, table, now, log, sagas }) => {
    const { task } = await loadSubTask(table, ownTask(caller), taskId);
    if (hasEnded(task.status)) return { taskId, status: task.status, stopped: false };
    const actor = { actorType: 'agent', actorId: caller.token.agentSessionId } as const;
    const parts = { table, log, sagas };
    const ended = await finishTask(parts, { task, to: 'cancelled', actor, reason, now });
    return { taskId, status: ended.task.status, stopped: ended.changed };
  },
});
