import { agentOwnerId } from '../event-subscriptions/event-subscription.js';
import type { AgentOwner } from '../event-subscriptions/new-subscription.js';
import { expiryOf } from '../mcp-tokens/mcp-token.js';
import type { McpCaller } from '../mcp-tokens/verify-mcp-token.js';

/** The calling agent as the owner of subscriptions. */
export function eventOwner({ token }: Pick<McpCaller, 'token'>, now: Date): AgentOwner {
  const { projectId, chatSessionId: chatId, taskId, userId, agentSessionId } = token;
  return { projectId, chatId, taskId, userId, agentSessionId, tokenEndsAt: expiryOf(token, now) * 1_000 };
}

/** Finds the subscriptions of the calling agent, also those of its predecessors in the chat. */
export function ownedByCaller({ token: { projectId, chatSessionId } }: Pick<McpCaller, 'token'>) {
  return { projectId, ownerId: agentOwnerId(projectId, chatSessionId) };
}
