import {
  type CreateAgentSession,
  AgentSession as NodeAgentSession,
} from '../../../protocol/agent-sessions.js';
import {
  type HibernateAgentSession,
  type RestoreAgentSession,
  SnapshotOperation,
} from '../../../protocol/snapshots.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { NodeRefused } from '../nodes/errors.js';
import { callNode } from './call-node.js';
import { managementToken, type NodeAccess, unlessUnknown } from './node-access.js';

type Subject = Pick<AgentSession, 'workspaceId' | 'agentSessionId' | 'userId'>;

const sessionsOf = (workspaceId: string) => `/workspaces/${workspaceId}/agent-sessions`;

/** Creates a session on its node. A repeat replaces only its MCP servers. */
export async function createSessionOnNode(
  access: NodeAccess,
  subject: Subject,
  body: Omit<CreateAgentSession, 'sessionId'>,
): Promise<NodeAgentSession> {
  return create(access, subject, body).catch((error: unknown) => {
    const { acpInteractions, ...known } = body;
    // Agents of earlier releases refuse a field that they do not know.
    if (acpInteractions && error instanceof NodeRefused && error.status === 400)
      return create(access, subject, known);
    throw error;
  });
}

async function create(
  access: NodeAccess,
  { workspaceId, userId, agentSessionId }: Subject,
  body: Omit<CreateAgentSession, 'sessionId'>,
): Promise<NodeAgentSession> {
  return callNode(access.address, {
    method: 'POST',
    path: sessionsOf(workspaceId),
    workspaceId,
    body: { ...body, sessionId: agentSessionId },
    headers: { 'idempotency-key': agentSessionId },
    token: await managementToken(access, { workspaceId, userId }),
    timeoutMs: access.timeoutMs,
    reply: NodeAgentSession,
  });
}

/** Begins the capture of a workspace; false while another operation of it runs. */
export async function hibernateOnNode(
  access: NodeAccess,
  subject: Subject,
  body: HibernateAgentSession,
): Promise<boolean> {
  const { workspaceId, agentSessionId } = subject;
  const { accepted } = await callNode(access.address, {
    method: 'POST',
    path: `${sessionsOf(workspaceId)}/${agentSessionId}/hibernate`,
    workspaceId,
    body,
    token: await managementToken(access, subject),
    timeoutMs: access.timeoutMs,
    reply: SnapshotOperation,
  });
  return accepted;
}

/** Asks the node to restore the snapshot of a workspace. A repeat joins the restore in progress. */
export async function restoreOnNode(
  access: NodeAccess,
  subject: Subject,
  body: RestoreAgentSession,
): Promise<void> {
  const { workspaceId, agentSessionId } = subject;
  await callNode(access.address, {
    method: 'POST',
    path: `${sessionsOf(workspaceId)}/${agentSessionId}/restore`,
    workspaceId,
    body,
    token: await managementToken(access, subject),
    timeoutMs: access.timeoutMs,
    reply: SnapshotOperation,
  });
}

/** Stops a session on its node. An unknown session counts as stopped. */
export async function stopSessionOnNode(access: NodeAccess, subject: Subject): Promise<void> {
  const { workspaceId, agentSessionId } = subject;
  const stop = callNode(access.address, {
    method: 'POST',
    path: `${sessionsOf(workspaceId)}/${agentSessionId}/stop`,
    workspaceId,
    token: await managementToken(access, subject),
    timeoutMs: access.timeoutMs,
    reply: NodeAgentSession,
  });
  await stop.catch(unlessUnknown);
}
