// POST /api/projects/{projectId}/node-acp-heartbeat
import { recordAgentHeartbeat } from '../../domain/nodes/agent-heartbeat.js';
import { nodeCallbackForbidden } from '../../domain/tokens/errors.js';
import { anyCallbackRoute } from '../../edge/callback-routes.js';
import { nodeAcpHeartbeat } from './agent-contract.js';

export const handler = anyCallbackRoute(
  nodeAcpHeartbeat,
  async ({ params, body, nodeId, reporter, table, now }) => {
    if (body.nodeId !== nodeId) throw nodeCallbackForbidden();
    await recordAgentHeartbeat(table, { nodeId, projectId: params.projectId, reporter, now });
    return { status: 204 };
  },
);
