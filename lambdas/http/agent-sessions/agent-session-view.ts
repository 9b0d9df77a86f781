import type { AgentSession } from '../../domain/agent-sessions/agent-session.js';

export function agentSessionView(session: AgentSession) {
  const { agentSessionId, workspaceId, status, label, agentType, chatId } = session;
  const { createdAt, updatedAt, stoppedAt } = session;
  return {
    id: agentSessionId,
    workspaceId,
    status,
    label,
    agentType,
    chatSessionId: chatId,
    createdAt,
    updatedAt,
    stoppedAt,
  };
}
