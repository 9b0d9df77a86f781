// GET /api/projects/{projectId}/tasks/{taskId}/events
import { pageEvents } from '../../domain/tasks/page-events.js';
import { taskRoute } from '../../edge/task-route.js';
import { events as contract } from './contract.js';

export const handler = taskRoute(contract, async ({ task, query, user, table }) => {
  const page = { ...query, cursorKey: user.cursorKey };
  const { events, nextCursor } = await pageEvents(table, task.taskId, page);
  return {
    status: 200,
    body: { events: events.map(({ eventId, ...event }) => ({ id: eventId, ...event })), nextCursor },
  };
});
