// POST /api/projects/{projectId}/tasks/{taskId}/close
import { finishTask } from '../../domain/tasks/finish-task.js';
import { sagasOf } from '../../edge/sagas.js';
import { taskRoute } from '../../edge/task-route.js';
import { close } from './run-contract.js';

const sagas = sagasOf('end-run');

export const handler = taskRoute(close, async ({ task, user, table, now, log }) => {
  const actor = { actorType: 'user', actorId: user.userId } as const;
  const { task: closed } = await finishTask({ table, sagas, log }, { task, to: 'completed', actor, now });
  return { status: 200, body: { status: 'completed', closedAt: closed.completedAt ?? closed.updatedAt } };
});
