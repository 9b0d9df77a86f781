// POST /api/nodes/{nodeId}/ready
import { markNodeReady } from '../../domain/nodes/node-reports.js';
import { succeedStep } from '../../domain/sagas/saga-steps.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import { nodeCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { nodeReady } from './contract.js';

export const handler = nodeCallbackRoute(nodeReady, async ({ body, nodeId, table, now, log }) => {
  const node = await markNodeReady(table, nodeId, { ready: body, now });
  const waiting = await findWorkspace(table, node.launchedFor);
  // A repeat sends the result again, because the first one may have been lost.
  if (waiting?.nodeId === nodeId && waiting.waitingStep === 'launch-node' && waiting.taskToken) {
    await succeedStep(stepFunctions, waiting.taskToken);
  }
  log.info('Node ready', { nodeId, agentVersion: body.agentVersion });
  return { status: 200, body: { status: 'running', readyAt: node.agentReadyAt ?? now.toISOString() } };
});
