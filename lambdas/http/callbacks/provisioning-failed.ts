// POST /api/workspaces/{workspaceId}/provisioning-failed
import { failStep } from '../../domain/sagas/saga-steps.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { findWorkspace, requireGeneration } from '../../domain/workspaces/find-workspace.js';
import { failOnNode } from '../../domain/workspaces/running-failure.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { provisioningFailed } from './contract.js';

/**
 * While the saga waits, this route writes nothing: the undo of the saga marks the workspace
 * errored with the reported message. A running workspace is marked errored here.
 */
export const handler = workspaceCallbackRoute(provisioningFailed, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now, log } = call;
  if (body.generation !== generation) throw new StaleGeneration(workspaceId, body.generation);
  const reporter = { workspaceId, nodeId, generation };
  const workspace = requireGeneration(await findWorkspace(table, workspaceId), reporter);
  const { status, waitingStep, taskToken } = workspace;
  if (isUsable(status) || status === 'rebuilding') {
    const errorMessage = `The workspace ended on its node: ${body.errorMessage}`;
    const { wake, eviction } = workspace;
    const success = await failOnNode(table, { ...reporter, wake, eviction }, { errorMessage, now });
    log.warn('Workspace failed on its node while it ran', { workspaceId, nodeId, success });
    return { status: 200, body: success ? { success } : { success, reason: 'workspace_not_running' } };
  }
  if (status !== 'provisioning' || waitingStep !== 'create-on-node' || !taskToken) {
    return { status: 200, body: { success: false, reason: 'workspace_not_provisioning' } };
  }
  await failStep(stepFunctions, taskToken, { error: 'ProvisioningFailed', cause: body.errorMessage });
  log.warn('Workspace not made by its node', { workspaceId, nodeId });
  return { status: 200, body: { success: true } };
});
