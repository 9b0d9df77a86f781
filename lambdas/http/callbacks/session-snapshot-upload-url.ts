// POST /api/workspaces/{workspaceId}/session-snapshot/artifacts/{artifact}/upload-url
import { authorizeUpload } from '../../domain/snapshots/authorize-upload.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { uploads } from '../../shared/clients/uploads.js';
import { sessionSnapshotUploadUrl } from './snapshot-contract.js';

export const handler = workspaceCallbackRoute(sessionSnapshotUploadUrl, async (call) => {
  const { params, body: asked, workspaceId, nodeId, generation, table, now } = call;
  const upload = { artifact: params.artifact, asked, store: { objects: uploads, now } };
  const caller = { workspaceId, nodeId, generation };
  return { status: 200, body: await authorizeUpload(table, caller, upload) };
});
