import * as z from 'zod/mini';
import { changeTask } from '../../tasks/change-task.js';
import { moveEvent } from '../../tasks/task-event.js';
import { ownTask } from '../own-task.js';
import { tool } from '../tool.js';

export const updateTaskStatus = tool({
  name: 'update_task_status',
  description:
    'Tell how your task comes along, in a sentence or two, for whoever looks at it later. It does not change the state of the task: complete_task does.',
  rights: { capability: 'task:write', task: true },
  args: z.strictObject({ message: z.string().check(z.trim(), z.minLength(1), z.maxLength(2_000)) }),
  handle: async ({ message }, { caller, table, now }) => {
    const task = ownTask(caller);
    const { status } = task;
    const actor = { actorType: 'agent', actorId: caller.token.agentSessionId } as const;
    const event = moveEvent(task, { fromStatus: status, toStatus: status, ...actor, reason: message }, now);
    const told = await changeTask(table, {
      ...{ task, set: {}, now },
      also: [{ write: { put: event, when: { exists: false } } }],
    });
    return { taskId: task.taskId, status: told.task.status, recorded: true };
  },
});
