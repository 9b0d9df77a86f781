import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tools } from '../../../lambdas/domain/mcp/tools.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute } from '../../support/invoke.js';
import { sharedTable } from '../../support/table.js';
import { type Agent, anAgent } from './an-agent.js';
import { serveRoute } from './serve-route.js';

// The revision without a handshake: what it demands, and its official client.

const revision = '2026-07-28';
const supported = [revision];
const revisionKey = 'io.modelcontextprotocol/protocolVersion';
const envelope = { [revisionKey]: revision, 'io.modelcontextprotocol/clientCapabilities': {} };

let invoke: Invoke;
let agent: Agent;
let server: Awaited<ReturnType<typeof serveRoute>>;
beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  invoke = await loadRoute('mcp/call');
  server = await serveRoute(invoke, 'POST');
  agent = await anAgent(sharedTable(), new Date(), { task: {} });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Sent {
  readonly method?: string;
  readonly params?: object;
  readonly meta?: object | null;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A correct request but for what is given. */
function send({ method = 'tools/list', params = {}, meta = envelope, headers = {} }: Sent = {}) {
  const named = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  const all = { 'mcp-protocol-version': revision, 'mcp-method': method, ...named, ...headers };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return invoke({
    headers: { authorization: `Bearer ${agent.secret}`, ...Object.fromEntries(given) },
    body: { jsonrpc: '2.0', id: 7, method, params: { ...params, ...(meta ? { _meta: meta } : {}) } },
  });
}

const failure = (status: number, code: number, data?: object) => ({
  status,
  body: {
    jsonrpc: '2.0',
    id: 7,
    error: { code, message: expect.stringMatching(/./), ...(data && { data }) },
  },
});

describe('revision 2026-07-28', () => {
  it('is discovered without a request before', async () => {
    expect(await send({ method: 'server/discover' })).toMatchObject({
      status: 200,
      body: {
        id: 7,
        result: {
          ...{ resultType: 'complete', supportedVersions: [revision], cacheScope: 'private' },
          ...{ ttlMs: expect.any(Number), capabilities: { tools: { listChanged: false } } },
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'svc-mcp' } },
        },
      },
    });
  });

  it.each([
    [
      'of a later revision',
      {
        meta: { ...envelope, [revisionKey]: '2027-03-01' },
        headers: { 'mcp-protocol-version': '2027-03-01' },
      },
    ],
    [
      'of no revision',
      { meta: { ...envelope, [revisionKey]: 'tomorrow' }, headers: { 'mcp-protocol-version': 'tomorrow' } },
    ],
    [
      'that states one with a handshake',
      {
        meta: { ...envelope, [revisionKey]: '2025-11-25' },
        headers: { 'mcp-protocol-version': '2025-11-25' },
      },
    ],
  ])('is offered for a request %s', async (_, sent) => {
    const requested = sent.headers['mcp-protocol-version'];
    expect(await send(sent)).toMatchObject(failure(400, -32_022, { supported, requested }));
  });

  it.each([
    ['another revision in the header', { headers: { 'mcp-protocol-version': '2025-11-25' } }],
    ['no revision in the header', { headers: { 'mcp-protocol-version': undefined } }],
    ['no method in the header', { headers: { 'mcp-method': undefined } }],
    ['another method in the header', { headers: { 'mcp-method': 'tools/call' } }],
    [
      'another tool in the header',
      { method: 'tools/call', params: { name: 'get_instructions' }, headers: { 'mcp-name': 'list_tasks' } },
    ],
    [
      'no tool in the header',
      { method: 'tools/call', params: { name: 'get_instructions' }, headers: { 'mcp-name': undefined } },
    ],
    ['a handshake', { method: 'initialize', params: { protocolVersion: revision }, meta: null }],
  ])('refuses %s', async (_, sent: Sent) => {
    expect(await send(sent)).toMatchObject(failure(400, -32_020));
  });

  it('refuses a request without revision or capabilities in _meta', async () => {
    expect(await send({ meta: null })).toMatchObject(
      failure(400, -32_602, { envelope: { missing: expect.any(Array) } }),
    );
    expect(await send({ meta: { [revisionKey]: revision } })).toMatchObject(
      failure(400, -32_602, {
        envelope: { key: 'io.modelcontextprotocol/clientCapabilities', problem: 'missing' },
      }),
    );
    expect(await send({ meta: { ...envelope, [revisionKey]: 7 } })).toMatchObject(failure(400, -32_602));
  });

  it('knows neither initialize nor ping, and the others do not know server/discover', async () => {
    for (const method of ['initialize', 'ping', 'resources/list'])
      expect(await send({ method }), method).toMatchObject(failure(404, -32_601));
    const older = { meta: null, headers: { 'mcp-protocol-version': '2025-11-25' } };
    expect(await send({ method: 'server/discover', ...older })).toMatchObject(failure(200, -32_601));
    expect(await send({ method: 'ping', ...older })).toMatchObject({ status: 200, body: { result: {} } });
  });

  it('accepts a notification, and a name that is sent in Base64', async () => {
    const headers = { authorization: `Bearer ${agent.secret}`, 'mcp-protocol-version': revision };
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled' };
    expect(await invoke({ headers, body })).toMatchObject({ status: 202, body: undefined });

    const name = Buffer.from('get_workspace_info').toString('base64');
    const sent = { method: 'tools/call', params: { name: 'get_workspace_info' } };
    expect(await send({ ...sent, headers: { 'mcp-name': `=?base64?${name}?=` } })).toMatchObject({
      status: 200,
      body: { result: { resultType: 'complete', content: [{ type: 'text' }] } },
    });
  });
});

describe('the official client', () => {
  const connect = async (mode: 'auto' | 'legacy' | { pin: string }) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${agent.secret}` } };
    await client.connect(new StreamableHTTPClientTransport(server.url, { requestInit }));
    return client;
  };

  it.each([
    ['auto', revision],
    ['legacy', '2025-11-25'],
    [{ pin: revision }, revision],
  ] as const)('works in its mode %j with %s', async (mode, negotiated) => {
    const client = await connect(mode);

    expect(client.getNegotiatedProtocolVersion()).toBe(negotiated);
    expect(client.getServerVersion()).toMatchObject({ name: 'svc-mcp' });
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    const result = await client.callTool({ name: 'get_instructions', arguments: {} });
    expect(JSON.stringify(result)).toContain(agent.project.projectId);
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });
});
