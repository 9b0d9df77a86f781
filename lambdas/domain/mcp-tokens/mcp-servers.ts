import type { AgentType, McpServer } from '../../../protocol/agent-sessions.js';

/** These agents support no remote MCP servers: a node refuses to start them with any. */
const withoutServers: readonly (AgentType | null)[] = ['amp'];

/** Whether agents of this type can use MCP tools. */
export const canUseTools = (agentType: AgentType | null): boolean => !withoutServers.includes(agentType);

/** The MCP servers of an agent, as its node takes them. */
export const mcpServersFor = (publicUrl: string, secret: string): McpServer[] => [
  { url: new URL('/mcp', publicUrl).href, token: secret },
];
