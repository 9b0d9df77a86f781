import type { AgentType, McpServer } from '../../../protocol/agent-sessions.js';

/** A node refuses to begin such an agent with servers that it cannot reach. */
const withoutServers: readonly (AgentType | null)[] = ['amp'];

/** Whether agents of this kind can be given tools at all. */
export const canUseTools = (agentType: AgentType | null): boolean => !withoutServers.includes(agentType);

/** Where an agent finds its tools, in the words that its node takes. */
export const mcpServersFor = (publicUrl: string, secret: string): McpServer[] => [
  { url: new URL('/mcp', publicUrl).href, token: secret },
];
