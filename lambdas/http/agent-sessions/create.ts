// POST /api/workspaces/{workspaceId}/agent-sessions
import * as z from 'zod/mini';
import type { AgentSession } from '../../domain/agent-sessions/agent-session.js';
import { beginSession } from '../../domain/agent-sessions/begin-session.js';
import { canUseTools, mcpServersFor } from '../../domain/mcp-tokens/mcp-servers.js';
import { newMcpToken } from '../../domain/mcp-tokens/mcp-token.js';
import { createSessionOnNode } from '../../domain/node-client/agent-session-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { findNodeAddress } from '../../domain/node-client/node-address.js';
import { workspaceNotInState } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { agentSessionView } from './agent-session-view.js';
import { create } from './contract.js';

const env = readEnv({ PUBLIC_URL: z.url() });

export const handler = sessionRoute(create, async ({ params, body, user, table, now, newId }) => {
  const { userId } = user;
  const workspace = await findOwnWorkspace(table, params.workspaceId, userId);
  const { workspaceId, generation, projectId, status } = workspace;
  if (!isUsable(status))
    throw workspaceNotInState(status, 'Wait until the workspace is running, or restart it.');
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
  const tools = toolsOf(session, now);
  // The node first: a session there without a record does nothing and costs nothing.
  const address = await findNodeAddress(table, workspace.nodeId);
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request };
  await createSessionOnNode(access, session, {
    ...namesOf(session),
    ...(tools ? { mcpServers: mcpServersFor(env.PUBLIC_URL, tools.secret) } : {}),
  });
  await beginSession(table, session, { now, also: tools ? [tools.write] : [] });
  const location = `/api/workspaces/${workspaceId}/agent-sessions/${session.agentSessionId}`;
  return { status: 201, body: agentSessionView(session), headers: { location } };
});

const namesOf = ({ label, projectId, chatId }: AgentSession) => ({
  ...(label ? { label } : {}),
  ...(projectId && chatId ? { projectId, chatSessionId: chatId } : {}),
});

/** The tools work only in projects. */
function toolsOf(session: AgentSession, now: Date) {
  const { projectId, chatId, agentType, userId, workspaceId, generation, agentSessionId } = session;
  if (!projectId || !chatId || !canUseTools(agentType)) return undefined;
  return newMcpToken(
    {
      projectId,
      userId,
      workspaceId,
      generation,
      agentSessionId,
      chatSessionId: chatId,
      taskId: null,
      taskMode: null,
    },
    now,
  );
}
