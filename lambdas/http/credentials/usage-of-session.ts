// GET /api/projects/{projectId}/sessions/{sessionId}/usage
import { findSessionCredential } from '../../domain/credentials/session-credential.js';
import { chatRoute } from '../../edge/chat-route.js';
import { usageOfSession } from './contract.js';

const none = { provider: null, credentialSource: null, usedAt: null, windows: [] } as const;

export const handler = chatRoute(usageOfSession, async ({ chat, user, table }) => {
  const { workspaceId, agentSessionId } = chat;
  const use =
    workspaceId && agentSessionId
      ? await findSessionCredential(table, { workspaceId, agentSessionId })
      : undefined;
  if (!use) return { status: 200, body: { agentSessionId, ...none } };
  const { provider, owner, usedAt, windows } = use;
  const mayRead = owner.kind !== 'user' || owner.id === user.userId;
  return {
    status: 200,
    body: {
      ...{ agentSessionId, provider, credentialSource: owner.kind, usedAt },
      windows: mayRead ? windows : [],
    },
  };
});
