// POST /api/workspaces/{workspaceId}/agent-key

import {
  recordCredentialUse,
  resolveAgentCredential,
} from '../../domain/credentials/resolve-agent-credential.js';
import { credentialContext } from '../../domain/records/credentials/credential.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { secretBox } from '../../edge/secret-box.js';
import { agentKey } from './agent-contract.js';
import { callerWithSession } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(agentKey, async (call) => {
  const { body, workspaceId, table, now } = call;
  // An unknown session would get a record of its own.
  const { workspace, session } = await callerWithSession(call, body.sessionId);
  const credential = await resolveAgentCredential(table, workspace, { agentType: body.agentType, session });
  const { owner, provider, credentialKind } = credential;
  const apiKey = await secretBox.open(credential.token, credentialContext(owner, provider));
  // Recorded before the credential is returned, so that no use is unknown.
  const { projectId } = workspace;
  const { sessionId: agentSessionId } = body;
  if (agentSessionId)
    await recordCredentialUse(table, credential, { workspaceId, projectId, agentSessionId, now });
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: { apiKey, credentialKind } };
});
