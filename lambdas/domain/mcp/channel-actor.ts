import type { ChannelActor } from '../event-channels/channel-event.js';
import type { McpCaller } from '../mcp-tokens/verify-mcp-token.js';

/** The calling agent as the verified sender of a publication. */
export function channelActor({ token }: Pick<McpCaller, 'token'>): ChannelActor {
  const { userId, taskId, chatSessionId, workspaceId, agentSessionId } = token;
  return { userId, taskId, chatSessionId, workspaceId, agentSessionId };
}
