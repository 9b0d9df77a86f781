// GET /api/projects/{projectId}/tasks/{taskId}/events
import { listTaskEvents } from '../../domain/tasks/task-events.js';
import { taskRoute } from '../../edge/task-route.js';
import { events as contract } from './contract.js';

export const handler = taskRoute(contract, async ({ task, query, user, table }) => {
  const page = { ...query, cursorKey: user.cursorKey };
  const { events, nextCursor } = await listTaskEvents(table, task.taskId, page);
  return {
    status: 200,
    body: { events: events.map(({ eventId, ...event }) => ({ id: eventId, ...event })), nextCursor },
  };
});
