import type { McpServer as AcpMcpServer, InitializeResponse } from '@agentclientprotocol/sdk';
import type { McpServer } from '../../../../protocol/agent-sessions.js';
import { HarnessError } from '../harness.js';
import type { HarnessKind } from '../kinds/harness-kind.js';

/**
 * The MCP servers as a session is told of them. They go over the harness's standard input alone.
 * @throws HarnessError when the harness could not reach them: its tools missing would show only in its work
 */
export function mcpServersFor(
  kind: HarnessKind,
  servers: readonly McpServer[],
  capabilities: InitializeResponse['agentCapabilities'],
): AcpMcpServer[] {
  if (servers.length === 0) return [];
  const isAnnounced = kind.lacks.includes('mcp_announcement') || capabilities?.mcpCapabilities?.http;
  if (kind.lacks.includes('mcp') || !isAnnounced)
    throw new HarnessError('not_startable', `${kind.name} cannot use remote MCP servers`);
  return servers.map(({ name, url, token }, index) => ({
    type: 'http',
    name: name ?? (index === 0 ? 'svc-mcp' : `svc-mcp-${index}`),
    url,
    headers: token ? [{ name: 'Authorization', value: `Bearer ${token}` }] : [],
  }));
}

/** What of them no message may show. */
export function mcpSecrets(servers: readonly McpServer[]): string[] {
  return servers.flatMap(({ url, token }) => [url, ...(token ? [token] : [])]);
}
