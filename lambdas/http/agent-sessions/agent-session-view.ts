import type { AgentSession } from '../../domain/agent-sessions/agent-session.js';

export function agentSessionView(session: AgentSession) {
  const { agentSessionId, workspaceId, label, agentType, chatId } = session;
  const { createdAt, updatedAt, stoppedAt, endedBecause = null } = session;
  // The next start of its evicted workspace continues it.
  const status = session.status === 'running' && endedBecause ? 'suspended' : session.status;
  return {
    id: agentSessionId,
    workspaceId,
    status,
    endedBecause,
    label,
    agentType,
    chatSessionId: chatId,
    createdAt,
    updatedAt,
    stoppedAt,
  };
}
