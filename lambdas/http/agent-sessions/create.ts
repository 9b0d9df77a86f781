// POST /api/workspaces/{workspaceId}/agent-sessions
import { beginSession } from '../../domain/agent-sessions/begin-session.js';
import { findNodeAddress } from '../../domain/nodes/node-address.js';
import { createSessionOnNode } from '../../domain/nodes/node-agent-sessions.js';
import { nodeTimeouts } from '../../domain/nodes/node-timeouts.js';
import { WorkspaceNotInState } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { agentSessionView } from './agent-session-view.js';
import { create } from './contract.js';

export const handler = sessionRoute(create, async ({ params, body, user, table, now, newId }) => {
  const { userId } = user;
  const workspace = await findOwnWorkspace(table, params.workspaceId, userId);
  const { workspaceId, generation, projectId, status } = workspace;
  if (!isUsable(status)) throw new WorkspaceNotInState(status, 'an agent needs one that is running');
  const session = {
    agentSessionId: newId(),
    workspaceId,
    generation,
    userId,
    projectId,
    chatId: projectId === null ? null : newId(),
    status: 'running',
    label: body.label ?? null,
    agentType: body.agentType ?? null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    stoppedAt: null,
  } as const;
  // The node first: a session there that no record names waits for nothing and costs nothing.
  const address = await findNodeAddress(table, workspace.nodeId);
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request };
  await createSessionOnNode(access, session, {
    ...(session.label ? { label: session.label } : {}),
    ...(session.projectId && session.chatId
      ? { projectId: session.projectId, chatSessionId: session.chatId }
      : {}),
  });
  await beginSession(table, session, now);
  const location = `/api/workspaces/${workspaceId}/agent-sessions/${session.agentSessionId}`;
  return { status: 201, body: agentSessionView(session), headers: { location } };
});
