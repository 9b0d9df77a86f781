import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tools } from '../../../lambdas/domain/mcp/tools.js';
import { functionEnv } from '../../support/function-env.js';
import { loadRoute } from '../../support/invoke.js';
import { sharedTable } from '../../support/table.js';
import { anAgent } from './an-agent.js';
import { serveRoute } from './serve-route.js';

// The official MCP client against the route, as an independent check of the protocol.

let server: Awaited<ReturnType<typeof serveRoute>>;
beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  server = await serveRoute(await loadRoute('mcp/call'), 'POST');
});
afterAll(() => server[Symbol.asyncDispose]());

async function connected() {
  const agent = await anAgent(sharedTable(), new Date(), { task: {} });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(server.url, {
      requestInit: { headers: { authorization: `Bearer ${agent.secret}` } },
    }),
  );
  return { agent, client };
}

it('connects, lists every tool and calls one', async () => {
  const { agent, client } = await connected();

  expect(client.getServerVersion()).toMatchObject({ name: 'svc-mcp', version: '1.0.0' });
  await client.ping();
  const listed = await client.listTools();
  expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  const result = await client.callTool({ name: 'get_instructions', arguments: {} });
  expect(JSON.stringify(result)).toContain(agent.project.projectId);
  await client.close();
});

it('receives the error of a wrong call', async () => {
  const { client } = await connected();

  await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
  await expect(
    client.callTool({ name: 'get_instructions', arguments: { projectId: 'x' } }),
  ).rejects.toMatchObject({ code: -32_602, data: { details: [{ field: 'arguments.projectId' }] } });
  await client.close();
});

it('cannot connect with an invalid token', async () => {
  const client = new Client({ name: 'test', version: '1' });

  await expect(
    client.connect(
      new StreamableHTTPClientTransport(server.url, {
        requestInit: { headers: { authorization: 'Bearer nope' } },
      }),
    ),
  ).rejects.toThrow();
});
