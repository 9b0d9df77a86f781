// GET /api/workspaces/{workspaceId}/agent-sessions
import { listRunningSessions } from '../../domain/agent-sessions/find-sessions.js';
import { requireOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { sessionRoute } from '../../edge/session-route.js';
import { agentSessionView } from './agent-session-view.js';
import { list } from './contract.js';

export const handler = sessionRoute(list, async ({ params: { workspaceId }, user, table }) => {
  const { workspace, sessions } = await listRunningSessions(table, workspaceId);
  requireOwnWorkspace(workspace, user.userId);
  return { status: 200, body: { sessions: sessions.map(agentSessionView) } };
});
