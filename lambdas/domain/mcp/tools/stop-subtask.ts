import * as z from 'zod/mini';
import { finishTask } from '../../tasks/finish-task.js';
import { hasEnded } from '../../tasks/task-status.js';
import { personText, subtaskId } from '../arguments.js';
import { loadSubTask, ownTask } from '../load-task.js';
import { tool } from '../tool.js';

export const stopSubtask = tool({
  name: 'stop_subtask',
  description:
    'Cancel a subtask. Its agent stops. A workspace in which an agent has worked is stopped and keeps its files; otherwise it is deleted. Pushed commits stay. Returns status and stopped. Repeating the call changes nothing (stopped is false).',
  policy: { equals: ['task.cancel'] },
  needsTask: true,
  args: z.strictObject({
    taskId: subtaskId,
    reason: z.optional(personText(1_000, 'Reason for the events of the subtask.')),
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
