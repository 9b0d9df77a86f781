// POST /api/projects/{projectId}/tasks/{taskId}/status/callback
import { hearStatus } from '../../domain/tasks/hear-status.js';
import { agentCallbackRoute } from '../../edge/callback-routes.js';
import { statusCallback } from './contract.js';
import { endParts } from './end-parts.js';
import { taskView } from './task-view.js';

export const handler = agentCallbackRoute(statusCallback, async (call) => {
  const { params, body, workspaceId, nodeId, generation, table, now, log } = call;
  const { toStatus, executionStep, reason, gitPushResult, ...outputs } = body;
  if (gitPushResult) log.info('Work pushed', { taskId: params.taskId, gitPushResult });
  const teller = { workspaceId, nodeId, generation, ...params };
  const told = { toStatus, executionStep, reason, outputs, now };
  return { status: 200, body: taskView(await hearStatus({ table, ...endParts, log }, teller, told)) };
});
