// GET /api/workspaces/{workspaceId}/agent-sessions
import { failedSessions } from '../../domain/agent-sessions/failed-sessions.js';
import { listOpenSessions } from '../../domain/agent-sessions/find-sessions.js';
import { requireOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { sessionRoute } from '../../edge/session-route.js';
import { agentSessionView } from './agent-session-view.js';
import { list } from './contract.js';

export const handler = sessionRoute(list, async ({ params: { workspaceId }, user, table }) => {
  const { workspace, sessions } = await listOpenSessions(table, workspaceId);
  requireOwnWorkspace(workspace, user.userId);
  const failed = await failedSessions(
    table,
    sessions.filter(({ status }) => status === 'running'),
  );
  const views = sessions.map((session) =>
    failed.has(session.agentSessionId)
      ? { ...agentSessionView(session), status: 'error' as const }
      : agentSessionView(session),
  );
  return { status: 200, body: { sessions: views } };
});
