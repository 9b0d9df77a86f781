import * as z from 'zod/mini';
import { changeTask } from '../../tasks/change-task.js';
import { moveEvent } from '../../tasks/task-events.js';
import { personText } from '../arguments.js';
import { ownTask } from '../load-task.js';
import { tool } from '../tool.js';

export const updateTaskStatus = tool({
  name: 'update_task_status',
  description:
    'Add a progress note to the events of your task, for the people who follow it. The status of the task does not change; use complete_task to complete it. Each call adds a note.',
  policy: {
    equals: 'none',
    reason: 'Adds an event to the task of the caller; no route adds one',
    capability: 'task:write',
  },
  needsTask: true,
  args: z.strictObject({ message: personText(2_000, 'The progress note.') }),
  handle: async ({ message }, { caller, table, now }) => {
    const task = ownTask(caller);
    const { status } = task;
    const actor = { actorType: 'agent', actorId: caller.token.agentSessionId } as const;
    const event = moveEvent(task, { fromStatus: status, toStatus: status, ...actor, reason: message }, now);
    const changed = await changeTask(table, {
      task,
      set: {},
      now,
      also: [{ write: { put: event, when: { exists: false } } }],
    });
    return { taskId: task.taskId, status: changed.task.status, recorded: true };
  },
});
