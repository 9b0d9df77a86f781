// POST /api/workspaces/{workspaceId}/session-snapshot/prepare
import { claimEviction } from '../../domain/evictions/claim-eviction.js';
import { prepareCapture } from '../../domain/snapshots/prepare-capture.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { sessionSnapshotPrepare } from './snapshot-contract.js';

export const handler = workspaceCallbackRoute(sessionSnapshotPrepare, async (call) => {
  const { body: asked, workspaceId, nodeId, generation, table, now, newId } = call;
  const caller = { workspaceId, nodeId, generation };
  const { eviction } = asked;
  if (eviction) await claimEviction(table, caller, { asked: { ...asked, eviction }, now, newId });
  return { status: 200, body: await prepareCapture(table, caller, { asked, now }) };
});
