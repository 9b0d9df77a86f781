// POST /api/workspaces/{workspaceId}/agent-sessions/{sessionId}/stop
import { endSession } from '../../domain/agent-sessions/end-session.js';
import { AgentSessionNotFound } from '../../domain/agent-sessions/errors.js';
import { loadOwnSession } from '../../domain/agent-sessions/find-sessions.js';
import { stopSessionOnNode } from '../../domain/node-client/agent-session-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { findNodeAddress } from '../../domain/node-client/node-address.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { stop } from './contract.js';

export const handler = sessionRoute(stop, async ({ params, user, table, now }) => {
  const { workspaceId, sessionId } = params;
  const { workspace, session } = await loadOwnSession(table, { workspaceId, sessionId, userId: user.userId });
  if (!session) throw new AgentSessionNotFound();
  if (session.status !== 'stopped') {
    // The agent runs only while its workspace runs.
    const isThere = isUsable(workspace.status) && workspace.generation === session.generation;
    if (isThere && session.status === 'running') {
      const address = await findNodeAddress(table, workspace.nodeId);
      const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request };
      await stopSessionOnNode(access, session);
    }
    await endSession(table, session, { now });
  }
  return { status: 200, body: { status: 'stopped' } };
});
