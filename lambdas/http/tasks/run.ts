// POST /api/projects/{projectId}/tasks/{taskId}/run
import { run } from './run-contract.js';
import { runRoute } from './run-route.js';

export const handler = runRoute(run);
