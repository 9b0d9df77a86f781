// POST /api/nodes/{nodeId}/heartbeat

import * as z from 'zod/mini';
import { recordHeartbeat } from '../../domain/nodes/node-reports.js';
import { nodeHealth } from '../../domain/nodes/node-status.js';
import { isRenewalDue, issueToken } from '../../domain/tokens/issue-token.js';
import { recordUse } from '../../domain/workspaces/record-use.js';
import { nodeCallbackRoute } from '../../edge/callback-routes.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { nodeHeartbeat } from './contract.js';

const env = readEnv({ PUBLIC_URL: z.url() });

export const handler = nodeCallbackRoute(nodeHeartbeat, async ({ body, nodeId, token, table, now }) => {
  const { status } = await recordHeartbeat(table, nodeId, { heartbeat: body, now });
  await recordUse(table, { nodeId, workspaceIds: body.usedWorkspaces ?? [], now });
  const at = now.toISOString();
  const healthStatus = nodeHealth(at, now);
  const beat = { status, lastHeartbeatAt: at, healthStatus, consoleUrl: env.PUBLIC_URL };
  if (!isRenewalDue(token, now)) return { status: 200, body: beat };
  const { token: refreshedToken } = await issueToken(signingKeys, 'nodeCallback', {
    claims: { sub: nodeId },
    now,
  });
  return { status: 200, body: { ...beat, refreshedToken } };
});
