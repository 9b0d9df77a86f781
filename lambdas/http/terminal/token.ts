// POST /api/terminal/token
import * as z from 'zod/mini';
import { issueToken } from '../../domain/tokens/issue-token.js';
import { workspaceUrl } from '../../domain/workspaces/workspace.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { token } from './contract.js';
import { reachWorkspace, waking } from './reach-workspace.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(token, async ({ body, user, table, now, newId, log }) => {
  const { workspaceId } = body;
  const reached = await reachWorkspace({ table, now, newId, log }, workspaceId, user);
  if (reached === null) return waking;
  const { claims, nodeId, nodeUrl } = reached;
  const issued = await issueToken(signingKeys, 'terminal', { claims, now });
  const url = workspaceUrl(env.WORKSPACE_URL_TEMPLATE, { workspaceId, nodeId, nodeUrl });
  return {
    status: 200,
    body: { token: issued.token, expiresAt: issued.expiresAt * 1_000, workspaceUrl: url },
  };
});
