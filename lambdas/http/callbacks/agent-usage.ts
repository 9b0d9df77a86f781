// POST /api/projects/{projectId}/acp-sessions/{sessionId}/usage
import { recordUsage } from '../../domain/credentials/credential-usage.js';
import { agentCallbackRoute } from '../../edge/callback-routes.js';
import { rateLimitHeaders } from '../../edge/reply.js';
import { agentUsage } from './agent-contract.js';

export const handler = agentCallbackRoute(agentUsage, async (call) => {
  const { params, body, workspaceId, nodeId, generation, table, now } = call;
  const { projectId, sessionId } = params;
  const reporter = { workspaceId, nodeId, generation, projectId, agentSessionId: sessionId };
  const window = await recordUsage(table, reporter, { ...body, now });
  return { status: 204, headers: rateLimitHeaders(window) };
});
