// POST /api/workspaces/{workspaceId}/restart
import { findWorkspaceWithGrant } from '../../domain/workspaces/find-workspace.js';
import { claimRestart, requireAccess } from '../../domain/workspaces/restarting.js';
import { isAsleep } from '../../domain/workspaces/workspace.js';
import { codeHost } from '../../edge/code-host.js';
import { secretBox } from '../../edge/secret-box.js';
import { sessionRoute } from '../../edge/session-route.js';
import { restart } from './contract.js';
import { startProvisioning } from './start-provisioning.js';
import { wakeWorkspace } from './wake-workspace.js';

export const handler = sessionRoute(restart, async ({ params, user, table, now, newId, log }) => {
  const { workspaceId } = params;
  const own = await findWorkspaceWithGrant(table, { workspaceId, userId: user.userId });
  const source = { table, secrets: secretBox, codeHost };
  if (isAsleep(own.workspace)) {
    if (own.workspace.status === 'evicted') await requireAccess(source, own, now);
    await wakeWorkspace({ table, now, newId, log }, own.workspace);
    return { status: 202, body: { status: 'provisioning' } };
  }
  const workspace = await claimRestart(source, { ...own, mode: 'restart', now });
  await startProvisioning(workspace, log);
  return { status: 202, body: { status: 'provisioning' } };
});
