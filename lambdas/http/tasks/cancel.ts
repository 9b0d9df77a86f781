// POST /api/projects/{projectId}/tasks/{taskId}/cancel
import { finishTask } from '../../domain/tasks/finish-task.js';
import { sagasOf } from '../../edge/sagas.js';
import { taskRoute } from '../../edge/task-route.js';
import { cancel } from './run-contract.js';
import { taskView } from './task-view.js';

const sagas = sagasOf('end-run');

export const handler = taskRoute(cancel, async ({ task, body, user, table, now, log }) => {
  const actor = { actorType: 'user', actorId: user.userId } as const;
  const ending = { task, to: 'cancelled', actor, reason: body.reason, now } as const;
  const outcome = await finishTask({ table, sagas, log }, ending);
  return { status: 200, body: taskView(outcome.task) };
});
