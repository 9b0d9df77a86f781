// POST /api/terminal/preview-token
import * as z from 'zod/mini';
import { issueToken } from '../../domain/tokens/issue-token.js';
import { workspaceUrl } from '../../domain/workspaces/workspace.js';
import { previewOf } from '../../edge/preview-of.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { previewToken } from './contract.js';
import { reachWorkspace, waking } from './reach-workspace.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

export const handler = sessionRoute(previewToken, async ({ body, user, table, now, newId, log }) => {
  const { workspaceId, port } = body;
  const reached = await reachWorkspace({ table, now, newId, log }, workspaceId, user);
  if (reached === null) return waking;
  const { workspace, claims, nodeId, nodeUrl } = reached;
  const preview = await previewOf({ workspace, port, now });
  // The token would expire before the name of the host resolves.
  const settlesInMs = preview ? preview.readyAt.getTime() - now.getTime() : 0;
  if (settlesInMs > 0) return naming(settlesInMs);
  const issued = await issueToken(signingKeys, 'preview', { claims: { ...claims, jti: newId(), port }, now });
  // Without a nodes domain a service has only a path.
  const pathForm = () =>
    new URL(
      `/workspaces/${workspaceId}/ports/${port}/`,
      workspaceUrl(env.WORKSPACE_URL_TEMPLATE, { workspaceId, nodeId, nodeUrl }),
    ).href;
  return {
    status: 200,
    body: {
      token: issued.token,
      expiresAt: issued.expiresAt * 1_000,
      url: preview?.url ?? pathForm(),
    },
  };
});

const naming = (settlesInMs: number) =>
  ({
    status: 202,
    body: { status: 'naming' },
    headers: { 'retry-after': String(Math.ceil(settlesInMs / 1_000)) },
  }) as const;
