// GET /api/workspaces/{workspaceId}/session-snapshot/restore
import { planRestore } from '../../domain/snapshots/restore-plan.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { uploads } from '../../shared/clients/uploads.js';
import { sessionSnapshotRestore } from './snapshot-contract.js';

export const handler = workspaceCallbackRoute(sessionSnapshotRestore, async (call) => {
  const { query, workspaceId, nodeId, generation, table, now } = call;
  const { chatSessionId } = query;
  const caller = { workspaceId, nodeId, generation };
  const store = { objects: uploads, now };
  return { status: 200, body: await planRestore(table, caller, { chatSessionId, store }) };
});
