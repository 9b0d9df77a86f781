import * as z from 'zod/mini';
import { getItems } from '../../records/batch-items.js';
import { deleteTask } from '../../tasks/delete-task.js';
import { TaskNotFound, TaskNotInState } from '../../tasks/errors.js';
import { finishTask } from '../../tasks/finish-task.js';
import { Task, taskKey } from '../../tasks/task.js';
import { readGraph, taskGraphKey } from '../../tasks/task-dependencies.js';
import { isNotStarted } from '../../tasks/task-status.js';
import { subtaskId } from '../arguments.js';
import { ownTask } from '../load-task.js';
import { tool } from '../tool.js';

export const removePendingSubtask = tool({
  name: 'remove_pending_subtask',
  description:
    'Remove a subtask that no agent works on: a draft or ready subtask is deleted. A queued one, or a ready one with an earlier execution, is cancelled and keeps its record. A started subtask fails with TASK_NOT_IN_STATE; use stop_subtask. Returns removed and status. Repeating the call changes nothing; after a deletion it fails with NOT_FOUND.',
  policy: { equals: ['task.delete', 'task.cancel'] },
  needsTask: true,
  args: z.strictObject({ taskId: subtaskId }),
  handle: async ({ taskId }, { caller, table, now, log, sagas }) => {
    const parent = ownTask(caller);
    const { projectId } = parent;
    const keys = { task: taskKey(projectId, taskId), graph: taskGraphKey(projectId) };
    const find = await getItems(table, Object.values(keys));
    const found = find(keys.task);
    const task = found && Task.parse(found);
    if (task?.parentTaskId !== parent.taskId) throw new TaskNotFound();
    // A person can still read what an earlier execution changed.
    if (isNotStarted(task.status) && task.run === 0) {
      await deleteTask(table, task, { graph: readGraph(find(keys.graph)), now });
      return { taskId, removed: true, status: 'deleted' };
    }
    // A repeat of this call changes nothing.
    if (task.status === 'cancelled') return { taskId, removed: false, status: task.status };
    const ended = await finishTask(
      { table, log, sagas },
      {
        task,
        to: 'cancelled',
        now,
        reason: 'Removed by the agent of the parent task before an agent started it',
        actor: { actorType: 'agent', actorId: caller.token.agentSessionId },
        guard: requirePending,
      },
    );
    return { taskId, removed: true, status: ended.task.status };
  },
});

function requirePending({ status }: Task): void {
  if (status !== 'queued' && !isNotStarted(status))
    throw new TaskNotInState(status, 'Call stop_subtask to stop a subtask that an agent has started.');
}
