// GET /api/projects/{projectId}/tasks/{taskId}/changes
import { allow } from '../../domain/policy/allow.js';
import { readChanges } from '../../domain/tasks/kept-changes.js';
import { taskRoute } from '../../edge/task-route.js';
import { uploads } from '../../shared/clients/uploads.js';
import { changes } from './run-contract.js';

export const handler = taskRoute(changes, async ({ task, user, member, now }) => {
  allow('task.readChanges', { userId: user.userId, member }, task);
  return { status: 200, body: await readChanges({ objects: uploads, now }, task) };
});
