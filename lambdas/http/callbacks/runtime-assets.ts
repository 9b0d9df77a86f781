// GET /api/workspaces/{workspaceId}/runtime-assets
import { runtimeVariables } from '../../domain/launch/runtime-variables.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { secretBox } from '../../edge/secret-box.js';
import { runtimeAssets } from './agent-contract.js';
import { callerWithSession } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(runtimeAssets, async (call) => {
  const { query, table, workspaceId } = call;
  const { workspace, session } = await callerWithSession(call, query.agentSessionId);
  const assets = await runtimeVariables({ table, secrets: secretBox }, workspace, session);
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { workspaceId, ...assets, files: [] },
  };
});
