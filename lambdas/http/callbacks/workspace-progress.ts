// POST /api/workspaces/{workspaceId}/progress
import { keepCreationAlive } from '../../domain/sagas/saga-steps.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { findWorkspace, requireGeneration } from '../../domain/workspaces/find-workspace.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { workspaceProgress } from './contract.js';

/** Writes nothing: it is the heartbeat of the step CreateOnNode. */
export const handler = workspaceCallbackRoute(workspaceProgress, async (call) => {
  const { body, workspaceId, nodeId, generation, table } = call;
  if (body.generation !== generation) throw new StaleGeneration(workspaceId, body.generation);
  const workspace = requireGeneration(await findWorkspace(table, workspaceId), {
    workspaceId,
    nodeId,
    generation,
  });
  const waits = await keepCreationAlive(stepFunctions, workspace);
  return {
    status: 200,
    body: waits ? { success: true } : { success: false, reason: 'workspace_not_provisioning' },
  };
});
