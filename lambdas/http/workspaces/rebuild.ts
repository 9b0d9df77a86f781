// POST /api/workspaces/{workspaceId}/rebuild
import * as z from 'zod/mini';
import { nodeTimeouts } from '../../domain/nodes/node-timeouts.js';
import { claimRestart } from '../../domain/workspaces/claim-restart.js';
import { WorkspaceNotInState } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { rebuildOnNode } from '../../domain/workspaces/rebuild-on-node.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { rebuild } from './contract.js';
import { startProvisioning } from './start-provisioning.js';

const env = readEnv({ PROVISION_WORKSPACE_ARN: z.string() });

export const handler = sessionRoute(rebuild, async ({ params, user, table, now, log }) => {
  const { workspaceId } = params;
  const { userId } = user;
  const seen = await findOwnWorkspace(table, workspaceId, userId);
  if (isUsable(seen.status)) {
    await rebuildOnNode(table, seen, { keys: signingKeys, now, timeoutMs: nodeTimeouts.request });
  } else {
    if (seen.status !== 'errored')
      throw new WorkspaceNotInState(seen.status, 'only one that runs or has failed can be rebuilt');
    // It holds no place: it gets one first.
    const workspace = await claimRestart(table, { workspaceId, userId, how: 'rebuild', now });
    await startProvisioning(workspace, { stateMachineArn: env.PROVISION_WORKSPACE_ARN, log });
  }
  return { status: 202, body: { status: 'rebuilding' } };
});
