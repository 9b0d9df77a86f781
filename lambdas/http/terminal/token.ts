// POST /api/terminal/token
import * as z from 'zod/mini';
import { findAddressForMember } from '../../domain/node-client/node-address.js';
import { issueToken } from '../../domain/tokens/issue-token.js';
import { workspaceNotInState } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { isAsleep, workspaceUrl } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { previewOf } from '../../edge/preview-of.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { wakeWorkspace } from '../workspaces/wake-workspace.js';
import { token } from './contract.js';

const env = readEnv({ WORKSPACE_URL_TEMPLATE: z.string() });

/** About as long as a wake on a running node takes. */
const retryAfterSeconds = 3;

export const handler = sessionRoute(token, async ({ body, user, table, now, newId, log }) => {
  const { workspaceId, port } = body;
  const { userId, sessionHash } = user;
  const workspace = await findOwnWorkspace(table, workspaceId, userId);
  const { status, nodeId, generation, projectId } = workspace;
  // A browser that connects again is no reason to start it: a person or a message is.
  if (isAsleep(workspace) && status !== 'evicted') {
    await wakeWorkspace({ table, now, newId, log }, workspace);
    const headers = { 'retry-after': String(retryAfterSeconds) };
    return { status: 202, body: { status: 'waking' }, headers };
  }
  if (!isUsable(status) || !nodeId) {
    throw workspaceNotInState(status, 'Wait until the workspace is running, or restart it.');
  }
  // Reads the row of the node, because a restarted agent may have another port.
  const address = await findAddressForMember(table, nodeId, { projectId, userId });

  const claims = { sub: userId, workspace: workspaceId, node: nodeId, generation, session: sessionHash };
  const issued = await issueToken(signingKeys, 'terminal', { claims, now });
  const url = workspaceUrl(env.WORKSPACE_URL_TEMPLATE, { workspaceId, nodeId, nodeUrl: address.url });
  const preview = port === undefined ? undefined : await previewOf({ workspace, port, now });
  return {
    status: 200,
    body: {
      token: issued.token,
      expiresAt: issued.expiresAt * 1000,
      workspaceUrl: url,
      ...(preview === undefined ? {} : { preview }),
    },
  };
});
