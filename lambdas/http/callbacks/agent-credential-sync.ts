// POST /api/workspaces/{workspaceId}/agent-credential-sync
import { findCredentialUse } from '../../domain/credentials/credential-use.js';
import { resolveAgentCredential } from '../../domain/credentials/resolve-agent-credential.js';
import { syncCredential } from '../../domain/credentials/sync-credential.js';
import { secretBox } from '../../edge/secret-box.js';
import { workspaceCallbackRoute } from '../../edge/workspace-callback-route.js';
import { agentCredentialSync } from './contract.js';
import { usableWorkspace } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(agentCredentialSync, async (call) => {
  const { body, workspaceId, table, now, log } = call;
  const workspace = await usableWorkspace(call);
  const credential = await resolveAgentCredential(table, workspace, body.agentType);
  const use = await findCredentialUse(table, { workspaceId, agentSessionId: body.sessionId });
  const updated =
    use !== undefined &&
    body.credentialKind === 'oauth-token' &&
    (await syncCredential({ table, secrets: secretBox }, credential, { use, token: body.credential, now }));
  if (updated) log.info('Agent credential renewed', { provider: credential.provider });
  return { status: 200, body: { success: true, updated } };
});
