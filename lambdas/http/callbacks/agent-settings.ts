// POST /api/workspaces/{workspaceId}/agent-settings
import { agentSettings as settingsOf } from '../../domain/launch/agent-settings.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { agentSettings } from './agent-contract.js';
import { callerWithSession } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(agentSettings, async (call) => {
  const { body, table } = call;
  const { workspace, session } = await callerWithSession(call, body.agentSessionId);
  const settings = await settingsOf(table, workspace, { agentType: body.agentType, session });
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: settings };
});
