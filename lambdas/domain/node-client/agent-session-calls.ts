import {
  type CreateAgentSession,
  AgentSession as NodeAgentSession,
} from '../../../protocol/agent-sessions.js';
import type { AgentSession } from '../agent-sessions/agent-session.js';
import { callNode } from './call-node.js';
import { managementToken, type NodeAccess, unlessUnknown } from './node-access.js';

type Subject = Pick<AgentSession, 'workspaceId' | 'agentSessionId' | 'userId'>;

const sessionsOf = (workspaceId: string) => `/workspaces/${workspaceId}/agent-sessions`;

/** Creates a session on its node. A repeat changes nothing there. */
export async function createSessionOnNode(
  access: NodeAccess,
  { workspaceId, userId, agentSessionId }: Subject,
  body: Omit<CreateAgentSession, 'sessionId'>,
): Promise<void> {
  await callNode(access.address, {
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
