// POST /api/bootstrap
// Its own authorisation: the single-use bootstrap token in the body, which only the new instance
// was given.
import { redeemBootstrapToken } from '../../domain/nodes/bootstrap.js';
import { keepStepAlive } from '../../domain/sagas/saga-steps.js';
import { issueToken } from '../../domain/tokens/issue-token.js';
import { findWorkspace } from '../../domain/workspaces/find-workspace.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { ownRoute } from '../../edge/anonymous-routes.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { stepFunctions } from '../../shared/clients/step-functions.js';
import { bootstrap } from './contract.js';

export const handler = ownRoute(bootstrap, async ({ body, table, now, log }) => {
  const { launchedFor } = await redeemBootstrapToken(table, body, now);
  await keepLaunchAlive(await findWorkspace(table, launchedFor), body.nodeId);
  const { token, expiresAt } = await issueToken(signingKeys, 'nodeCallback', {
    claims: { sub: body.nodeId },
    now,
  });
  log.info('Bootstrap token redeemed', { nodeId: body.nodeId });
  return { status: 200, body: { callbackToken: token, expiresAt } };
});

/** The machine has started: the heartbeat of LaunchNode, which bounds a failed boot. */
async function keepLaunchAlive(workspace: Workspace | undefined, nodeId: string): Promise<void> {
  if (workspace?.nodeId !== nodeId || workspace.waitingStep !== 'launch-node') return;
  if (workspace.taskToken) await keepStepAlive(stepFunctions, workspace.taskToken);
}
