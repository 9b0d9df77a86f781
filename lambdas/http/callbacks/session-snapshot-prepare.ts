// POST /api/workspaces/{workspaceId}/session-snapshot/prepare
import { prepareCapture } from '../../domain/snapshots/prepare-capture.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { sessionSnapshotPrepare } from './snapshot-contract.js';

export const handler = workspaceCallbackRoute(sessionSnapshotPrepare, async (call) => {
  const { body: asked, workspaceId, nodeId, generation, table, now } = call;
  const caller = { workspaceId, nodeId, generation };
  return { status: 200, body: await prepareCapture(table, caller, { asked, now }) };
});
