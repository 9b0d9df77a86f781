import type { AgentSession } from '../../../protocol/agent-sessions.js';
import { statusWithoutHost } from './host-controls.js';
import type { HostedSession } from './session-hosts.js';
import type { SessionRecord } from './session-record.js';

/** The session as the control plane and people see it: no settings, no servers, no keys. */
export function describeSession(session: SessionRecord, hosted: HostedSession | null): AgentSession {
  return {
    id: session.sessionId,
    workspaceId: session.workspaceId,
    status: session.status,
    hostStatus: hosted?.host.status ?? statusWithoutHost(session.status),
    viewerCount: hosted?.sink.viewerCount ?? 0,
    label: session.label,
    agentType: session.agentType,
    acpSessionId: session.acpSessionId,
    lastPrompt: session.lastPrompt,
    errorMessage: session.errorMessage,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    stoppedAt: session.stoppedAt,
    suspendedAt: session.suspendedAt,
  };
}
