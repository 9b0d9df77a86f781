// POST /api/workspaces/{workspaceId}/agent-sessions
import * as z from 'zod/mini';
import type { AgentSession } from '../../domain/agent-sessions/agent-session.js';
import { beginSession } from '../../domain/agent-sessions/begin-session.js';
import { findAgentSession } from '../../domain/agent-sessions/find-sessions.js';
import { createOnce } from '../../domain/idempotency/create-once.js';
import { interactionSettings } from '../../domain/interactions/interaction-settings.js';
import type { ResolvedLaunch } from '../../domain/launch/resolve-launch.js';
import { sessionLaunch, sessionLaunchKeys } from '../../domain/launch/session-launch.js';
import { canUseTools, mcpServersFor } from '../../domain/mcp-tokens/mcp-servers.js';
import { newMcpToken } from '../../domain/mcp-tokens/mcp-token.js';
import { createSessionOnNode } from '../../domain/node-client/agent-session-calls.js';
import { nodeTimeouts } from '../../domain/node-client/node-access.js';
import { requireAddress } from '../../domain/node-client/node-address.js';
import { Node, nodeKey } from '../../domain/nodes/node.js';
import { getItems } from '../../domain/records/batch-items.js';
import { workspaceNotInState, workspaceWaking } from '../../domain/workspaces/errors.js';
import { findOwnWorkspace } from '../../domain/workspaces/find-workspace.js';
import type { Workspace } from '../../domain/workspaces/workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { idempotencyKeyOf } from '../../edge/idempotency-key.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signingKeys } from '../../shared/clients/signing-keys.js';
import { readEnv } from '../../shared/env.js';
import { InvalidRequest } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { agentSessionView } from './agent-session-view.js';
import { create } from './contract.js';

const env = readEnv({ PUBLIC_URL: z.url() });

export const handler = sessionRoute(create, async (call) => {
  const { request, params, body, user, table, now, newId } = call;
  const { userId } = user;
  const workspace = await findOwnWorkspace(table, params.workspaceId, userId);
  const { workspaceId } = workspace;
  const session = await createOnce(table, {
    kind: 'agent-session',
    userId,
    key: idempotencyKeyOf(request, { workspaceId, body }),
    newId,
    now,
    find: (id) => findAgentSession(table, workspaceId, id),
    create: (agentSessionId) => begin(workspace, agentSessionId, call),
  });
  const location = `/api/workspaces/${workspaceId}/agent-sessions/${session.agentSessionId}`;
  return { status: 201, body: agentSessionView(session), headers: { location } };
});

interface Beginning {
  readonly body: z.output<(typeof create)['body']>;
  readonly table: Table;
  readonly now: Date;
  readonly newId: () => string;
}

async function begin(
  workspace: Workspace,
  agentSessionId: string,
  { body, table, now, newId }: Beginning,
): Promise<AgentSession> {
  const { status } = workspace;
  if (!isUsable(status))
    throw workspaceNotInState(status, 'Wait until the workspace is running, or restart it.');
  // The restore creates the sessions of the snapshot.
  if (workspace.wake) throw workspaceWaking('workspaceId');
  const node = nodeKey(String(workspace.nodeId));
  const find = await getItems(table, [node, ...sessionLaunchKeys(workspace, body)]);
  const session = sessionOf(workspace, {
    ...body,
    agentSessionId,
    launch: sessionLaunch(find, workspace, body),
    newId,
    now,
  });
  const tools = toolsOf(session, now);
  // The node first: a session there without a record does nothing and costs nothing.
  const found = find(node);
  const address = requireAddress(found && Node.parse(found));
  const access = { keys: signingKeys, address, now, timeoutMs: nodeTimeouts.request };
  await createSessionOnNode(access, session, {
    ...namesOf(session),
    acpInteractions: interactionSettings('conversation'),
    ...(tools ? { mcpServers: mcpServersFor(env.PUBLIC_URL, tools.secret) } : {}),
  });
  const chat = body.chatSessionId ? 'joined' : 'new';
  await beginSession(table, session, { now, chat, also: tools ? [tools.write] : [] });
  return session;
}

interface Draft extends Pick<AgentSession, 'agentSessionId' | 'agentProfileId' | 'skillId'> {
  readonly label?: string | null | undefined;
  readonly chatSessionId?: string | undefined;
  readonly launch: ResolvedLaunch;
  readonly newId: () => string;
  readonly now: Date;
}

/** @throws {InvalidRequest} it names a chat session, and the workspace has no project */
function sessionOf(
  { workspaceId, generation, projectId, userId }: Workspace,
  {
    agentSessionId,
    label = null,
    chatSessionId,
    agentProfileId = null,
    skillId = null,
    launch,
    newId,
    now,
  }: Draft,
): AgentSession {
  if (projectId === null && chatSessionId !== undefined) throw noProjectForChat();
  const at = now.toISOString();
  return {
    agentSessionId,
    workspaceId,
    generation,
    userId,
    projectId,
    chatId: projectId === null ? null : (chatSessionId ?? newId()),
    status: 'running',
    label,
    agentType: launch.agentType.value,
    agentProfileId,
    skillId,
    launch,
    createdAt: at,
    updatedAt: at,
    stoppedAt: null,
  };
}

function noProjectForChat() {
  const message = 'The workspace belongs to no project, and chat sessions belong to projects';
  return new InvalidRequest(message, [{ field: 'chatSessionId', message }]);
}

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
