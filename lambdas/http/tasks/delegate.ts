// POST /api/projects/{projectId}/tasks/{taskId}/delegate
import { delegate } from './run-contract.js';
import { runRoute } from './run-route.js';

export const handler = runRoute(delegate);
