// POST /api/projects/{projectId}/tasks/{taskId}/status
import { moveTask } from '../../domain/tasks/change-task.js';
import { finishTask } from '../../domain/tasks/finish-task.js';
import { sagasOf } from '../../edge/sagas.js';
import { taskRoute } from '../../edge/task-route.js';
import { status } from './contract.js';
import { taskView } from './task-view.js';

const sagas = sagasOf('end-run');

export const handler = taskRoute(status, async ({ task, body, user, table, now, log }) => {
  const { toStatus: to, reason } = body;
  const move = { task, actor: { actorType: 'user', actorId: user.userId }, reason, now } as const;
  const outcome =
    to === 'ready'
      ? await moveTask(table, { ...move, to })
      : await finishTask({ table, sagas, log }, { ...move, to });
  return { status: 200, body: taskView(outcome.task) };
});
