// POST /api/workspaces/{workspaceId}/ready
import { succeedStep } from '../../domain/sagas/saga-steps.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { markReady } from '../../domain/workspaces/provisioning.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { workspaceReady } from './contract.js';

export const handler = workspaceCallbackRoute(workspaceReady, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now, log } = call;
  if (body.generation !== generation) throw new StaleGeneration(workspaceId, body.generation);
  const reporter = { workspaceId, nodeId, generation };
  const { accepted, workspace } = await markReady(table, reporter, { status: body.status, now });
  if (!accepted) return { status: 200, body: { success: false, reason: 'workspace_not_provisioning' } };
  // A repeat sends the result again, because the first one may have been lost.
  if (workspace.taskToken && workspace.waitingStep === 'create-on-node') {
    await succeedStep(stepFunctions, workspace.taskToken);
  }
  log.info('Workspace ready', { workspaceId, status: workspace.status });
  return { status: 200, body: { success: true } };
});
