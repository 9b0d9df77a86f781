// POST /api/projects/{projectId}/acp-sessions/{sessionId}/activity
import { loadReportingSession } from '../../domain/agent-sessions/load-reporting-session.js';
import { recordActivity } from '../../domain/chats/chat-activity.js';
import { agentCallbackRoute } from '../../edge/callback-routes.js';
import { agentActivity } from './agent-contract.js';
import { followActivity } from './follow-activity.js';

export const handler = agentCallbackRoute(agentActivity, async (call) => {
  const { params, body, workspaceId, nodeId, generation, table, now } = call;
  const { projectId, sessionId } = params;
  const reporter = { workspaceId, nodeId, generation, projectId, agentSessionId: sessionId };
  const seen = await loadReportingSession(table, reporter);
  const chat = await recordActivity(table, seen.chat, { report: body, now });
  await followActivity(call, { chat, task: seen.task });
  return { status: 204 };
});
