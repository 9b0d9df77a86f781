// POST /api/projects/{projectId}/tasks/{taskId}/status/callback
import { receiveStatus } from '../../domain/tasks/agent-reports.js';
import { agentCallbackRoute } from '../../edge/callback-routes.js';
import { sagasOf } from '../../edge/sagas.js';
import { statusCallback } from './run-contract.js';
import { taskView } from './task-view.js';

const sagas = sagasOf('end-run');

export const handler = agentCallbackRoute(statusCallback, async (call) => {
  const { params, body, workspaceId, nodeId, generation, table, now, log } = call;
  const { toStatus, executionStep, reason, gitPushResult, ...outputs } = body;
  if (gitPushResult) log.info('Work pushed', { taskId: params.taskId, gitPushResult });
  const reporter = { workspaceId, nodeId, generation, ...params };
  const report = { toStatus, executionStep, reason, outputs, now };
  return { status: 200, body: taskView(await receiveStatus({ table, sagas, log }, reporter, report)) };
});
