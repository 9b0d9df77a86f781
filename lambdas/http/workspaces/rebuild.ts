// POST /api/workspaces/{workspaceId}/rebuild
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { workspaceNotInState } from '../../domain/workspaces/errors.js';
import { findWorkspaceWithGrant } from '../../domain/workspaces/find-workspace.js';
import { claimRestart, rebuildOnNode } from '../../domain/workspaces/restarting.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { codeHost } from '../../edge/code-host.js';
import { secretBox } from '../../edge/secret-box.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { rebuild } from './contract.js';
import { startProvisioning } from './start-provisioning.js';

export const handler = sessionRoute(rebuild, async ({ params, user, table, now, log }) => {
  const { workspaceId } = params;
  const own = await findWorkspaceWithGrant(table, { workspaceId, userId: user.userId });
  const { status, wake } = own.workspace;
  if (wake) throw workspaceNotInState(status, 'Wait until its snapshot is restored.');
  const source = { table, secrets: secretBox, codeHost };
  if (isUsable(status)) {
    await rebuildOnNode(source, own, { keys: signingKeys, now, timeoutMs: nodeTimeouts.request });
  } else {
    if (status !== 'errored')
      throw workspaceNotInState(status, 'Only a running or errored workspace can be rebuilt.');
    // An errored workspace holds no slot and claims one first.
    const workspace = await claimRestart(source, { ...own, mode: 'rebuild', now });
    await startProvisioning(workspace, log);
  }
  return { status: 202, body: { status: 'rebuilding' } };
});
