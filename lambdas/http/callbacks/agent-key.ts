// POST /api/workspaces/{workspaceId}/agent-key
import { credentialContext } from '../../domain/credentials/credential.js';
import {
  recordCredentialUse,
  resolveAgentCredential,
} from '../../domain/credentials/resolve-agent-credential.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { secretBox } from '../../edge/secret-box.js';
import { agentKey } from './contract.js';
import { usableSession, usableWorkspace } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(agentKey, async (call) => {
  const { body, workspaceId, table, now } = call;
  // A session that is not there would be counted in a record of its own.
  const { workspace } = body.sessionId
    ? await usableSession(call, body.sessionId)
    : { workspace: await usableWorkspace(call) };
  const credential = await resolveAgentCredential(table, workspace, body.agentType);
  const { owner, provider, credentialKind } = credential;
  const apiKey = await secretBox.open(credential.token, credentialContext(owner, provider));
  // Counted before it is given: a use that nobody knows of must not be.
  if (body.sessionId)
    await recordCredentialUse(table, credential, { workspaceId, agentSessionId: body.sessionId, now });
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: { apiKey, credentialKind } };
});
