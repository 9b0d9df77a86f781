import type { McpServer } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';

const Answer = z.object({ result: z.object({ content: z.tuple([z.object({ text: z.string() })]) }) });

/** Calls a tool of the first MCP server of the session, like the MCP client of an agent. */
export async function callTool(servers: readonly McpServer[], name: string, args: string): Promise<string> {
  const [server] = servers;
  if (!server || !('url' in server)) throw new Error('The session has no tools');
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(server.headers.map((header) => [header.name, header.value])),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: JSON.parse(args || '{}') },
    }),
  });
  const text = await response.text();
  const answer = Answer.safeParse(JSON.parse(text));
  if (!answer.success) throw new Error(`${response.status}: ${text}`);
  return answer.data.result.content[0].text;
}
