// POST /api/projects/{projectId}/tasks/{taskId}/status
import { moveTask } from '../../domain/tasks/change-task.js';
import { taskRoute } from '../../edge/task-route.js';
import { status } from './contract.js';
import { taskView } from './task-view.js';

export const handler = taskRoute(status, async ({ task, body, user, table, now }) => {
  const { toStatus: to, reason } = body;
  const actor = { actorType: 'user', actorId: user.userId } as const;
  const outcome = await moveTask(table, { task, to, actor, reason, now });
  return { status: 200, body: taskView(outcome.task) };
});
