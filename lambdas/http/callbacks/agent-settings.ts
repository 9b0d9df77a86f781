// POST /api/workspaces/{workspaceId}/agent-settings
import { agentSettings as settingsOf } from '../../domain/launch/agent-settings.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { agentSettings } from './agent-contract.js';
import { usableWorkspace } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(agentSettings, async (call) => {
  const { body, table } = call;
  const workspace = await usableWorkspace(call);
  const settings = await settingsOf(table, workspace, body.agentType);
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: settings };
});
