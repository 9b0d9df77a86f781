// POST /api/workspaces/{workspaceId}/session-snapshot/failure
import { failEviction } from '../../domain/evictions/end-eviction.js';
import { failStep } from '../../domain/sagas/saga-steps.js';
import { loadCaptured, requireCapture } from '../../domain/snapshots/capture-call.js';
import { staleOperation } from '../../domain/snapshots/errors.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { sessionSnapshotFailure } from './snapshot-contract.js';

/** The saga records the failure and ends the claim; the claim of an eviction ends here. */
export const handler = workspaceCallbackRoute(sessionSnapshotFailure, async (call) => {
  const { body, workspaceId, nodeId, generation, table, now, log } = call;
  const captured = await loadCaptured(table, { workspaceId, nodeId, generation }, body);
  const { operationId } = requireCapture(captured, body.generation);
  if (operationId !== body.operationId) throw staleOperation();
  const { taskToken, sleep } = captured.workspace;
  if (sleep.by === 'eviction') {
    const claimed = { workspaceId, generation, claimId: operationId };
    await failEviction(table, claimed, { message: body.error, now });
  }
  const failure = { error: 'CaptureFailed', cause: body.error };
  if (taskToken) await failStep(stepFunctions, taskToken, failure);
  log.warn('Capture failed on the node', { workspaceId, operationId });
  return { status: 204 };
});
