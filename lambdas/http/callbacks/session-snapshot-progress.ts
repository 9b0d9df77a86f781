// POST /api/workspaces/{workspaceId}/session-snapshot/progress
import { keepStepAlive } from '../../domain/sagas/saga-steps.js';
import { staleOperation } from '../../domain/snapshots/errors.js';
import { findWorkspace, requireGeneration } from '../../domain/workspaces/find-workspace.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { sessionSnapshotProgress } from './snapshot-contract.js';

/** Writes nothing: it is the heartbeat of the step that waits for the capture or restore. */
export const handler = workspaceCallbackRoute(sessionSnapshotProgress, async (call) => {
  const { body, workspaceId, nodeId, generation, table } = call;
  const caller = { workspaceId, nodeId, generation };
  const { sleep, wake, taskToken } = requireGeneration(await findWorkspace(table, workspaceId), caller);
  const operations = [sleep?.phase === 'capturing' ? sleep.claimId : undefined, wake?.operationId];
  if (!operations.includes(body.operationId)) throw staleOperation();
  if (taskToken) await keepStepAlive(stepFunctions, taskToken);
  return { status: 204 };
});
