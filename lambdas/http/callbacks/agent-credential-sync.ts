// POST /api/workspaces/{workspaceId}/agent-credential-sync

import {
  SessionCredential,
  sessionCredentialKey,
  syncCredential,
} from '../../domain/credentials/session-credential.js';
import { providerOfAgent } from '../../domain/records/credentials/credential.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { secretBox } from '../../edge/secret-box.js';
import { agentCredentialSync } from './agent-contract.js';
import { usableWorkspaceWith } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(agentCredentialSync, async (call) => {
  const { body, workspaceId, table, now, log } = call;
  const key = sessionCredentialKey(workspaceId, body.sessionId);
  const { workspace, find } = await usableWorkspaceWith(call, { workspace: [key] });
  const found = find(key);
  const use = found && SessionCredential.parse(found);
  const updated =
    use?.provider === providerOfAgent[body.agentType] &&
    body.credentialKind === 'oauth-token' &&
    (await syncCredential({ table, secrets: secretBox }, workspace, { use, token: body.credential, now }));
  if (updated) log.info('Agent credential renewed', { provider: use.provider });
  return { status: 200, body: { success: true, updated } };
});
