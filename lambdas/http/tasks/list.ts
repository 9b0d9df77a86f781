// GET /api/projects/{projectId}/tasks
import { listProjectTasks } from '../../domain/tasks/list-tasks.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { list } from './contract.js';
import { taskSummary } from './task-view.js';

export const handler = capabilityRoute(list, async ({ params, query, user, table }) => {
  const { limit, cursor, ...asked } = query;
  const page = { limit, cursor, cursorKey: user.cursorKey };
  const { tasks, nextCursor } = await listProjectTasks(
    table,
    { projectId: params.projectId, ...asked },
    page,
  );
  return { status: 200, body: { tasks: tasks.map(taskSummary), nextCursor } };
});
