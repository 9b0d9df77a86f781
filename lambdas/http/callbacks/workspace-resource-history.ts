// POST /api/projects/{projectId}/workspace-resource-history
import { storeChunk } from '../../domain/resource-history/store-chunk.js';
import { agentCallbackRoute } from '../../edge/callback-routes.js';
import { uploads } from '../../shared/clients/uploads.js';
import { workspaceResourceHistory } from './agent-contract.js';

export const handler = agentCallbackRoute(workspaceResourceHistory, async (call) => {
  const { params, body, workspaceId, nodeId, generation, table, now } = call;
  const reporter = { workspaceId, nodeId, generation, projectId: params.projectId };
  return { status: 200, body: await storeChunk(table, reporter, { upload: body, objects: uploads, now }) };
});
