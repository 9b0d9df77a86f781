// POST /api/workspaces/{workspaceId}/agent-credential-sync
import { CredentialUse, credentialUseKey } from '../../domain/credentials/credential-use.js';
import { providerOfAgent } from '../../domain/credentials/providers.js';
import { syncCredential } from '../../domain/credentials/sync-credential.js';
import { secretBox } from '../../edge/secret-box.js';
import { workspaceCallbackRoute } from '../../edge/workspace-callback-route.js';
import { agentCredentialSync } from './contract.js';
import { usableWorkspaceWith } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(agentCredentialSync, async (call) => {
  const { body, workspaceId, table, now, log } = call;
  const key = credentialUseKey(workspaceId, body.sessionId);
  const { workspace, find } = await usableWorkspaceWith(call, { workspace: [key] });
  const found = find(key);
  const use = found && CredentialUse.parse(found);
  const updated =
    use?.provider === providerOfAgent[body.agentType] &&
    body.credentialKind === 'oauth-token' &&
    (await syncCredential({ table, secrets: secretBox }, workspace, { use, token: body.credential, now }));
  if (updated) log.info('Agent credential renewed', { provider: use.provider });
  return { status: 200, body: { success: true, updated } };
});
