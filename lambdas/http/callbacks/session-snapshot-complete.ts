// POST /api/workspaces/{workspaceId}/session-snapshot/complete
import { verifyEviction } from '../../domain/evictions/end-eviction.js';
import { succeedStep } from '../../domain/sagas/saga-steps.js';
import { completeCapture } from '../../domain/snapshots/complete-capture.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { uploads } from '../../shared/clients/uploads.js';
import { sessionSnapshotComplete } from './snapshot-contract.js';

export const handler = workspaceCallbackRoute(sessionSnapshotComplete, async (call) => {
  const { body: asked, workspaceId, nodeId, generation, table, now } = call;
  const caller = { workspaceId, nodeId, generation };
  const store = { objects: uploads, now };
  const { answer, taskToken, evicts } = await completeCapture(table, caller, { asked, store });
  if (evicts) await verifyEviction(table, { ...caller, claimId: asked.operationId }, store);
  // A repeat sends the result again, because the first one may have been lost.
  if (taskToken) await succeedStep(stepFunctions, taskToken);
  return { status: 200, body: answer };
});
