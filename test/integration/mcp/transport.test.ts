import { beforeAll, beforeEach, expect, it } from 'vitest';
import { tools } from '../../../lambdas/domain/mcp/tools.js';
import { rateWindowKey } from '../../../lambdas/domain/rate-limits/count-request.js';
import { rateLimits } from '../../../lambdas/domain/rate-limits/rate-limits.js';
import { newId } from '../../../lambdas/shared/ids.js';
import { type CallCount, countCalls } from '../../support/count-calls.js';
import { functionEnv } from '../../support/function-env.js';
import { type Invoke, loadRoute, type TestRequest } from '../../support/invoke.js';
import { putItem } from '../../support/project.js';
import { sharedTable } from '../../support/table.js';
import { type Agent, anAgent } from './an-agent.js';

let invoke: Invoke;
let calls: CallCount;
let agent: Agent;

beforeAll(async () => {
  Object.assign(process.env, functionEnv);
  invoke = await loadRoute('mcp/call');
  const { table } = await import('../../../lambdas/shared/clients/documents.js');
  calls = countCalls(table.client);
});

beforeEach(async () => {
  agent = await anAgent(sharedTable(), new Date());
  calls.reset();
});

const post = (body: unknown, { headers, ...request }: TestRequest = {}) =>
  invoke({ body, headers: { authorization: `Bearer ${agent.secret}`, ...headers }, ...request });
const rpc = (method: string, params?: object) => post({ jsonrpc: '2.0', id: 7, method, params });
const failure = (status: number, code: number, id: unknown = null) => ({
  status,
  body: { jsonrpc: '2.0', id, error: { code, message: expect.stringMatching(/./) } },
});

it.each([
  ['2025-03-26', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2024-11-05', '2025-11-25'],
  ['tomorrow', '2025-11-25'],
])('settles on a revision with a client of %s: %s', async (asked, settled) => {
  const clientInfo = { name: 'a client', version: '1' };
  const reply = await rpc('initialize', { protocolVersion: asked, capabilities: {}, clientInfo });

  expect(reply).toMatchObject({
    status: 200,
    body: {
      id: 7,
      result: {
        protocolVersion: settled,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'svc-mcp', version: '1.0.0' },
      },
    },
  });
});

it('answers a ping with an empty result, in two table calls', async () => {
  const reply = await rpc('ping');

  expect(reply).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 7, result: {} } });
  expect(calls.names).toEqual(['BatchGetItemCommand', 'UpdateItemCommand']);
});

it('accepts a string as id', async () => {
  expect(await post({ jsonrpc: '2.0', id: 'a', method: 'ping' })).toMatchObject({ body: { id: 'a' } });
});

it('lists every tool with descriptions of itself and of its arguments', async () => {
  agent = await anAgent(sharedTable(), new Date(), { task: {} });
  const { body } = await rpc('tools/list');

  // The expectations below check the shape.
  const listed = (body as { result: { tools: { name: string; inputSchema: { properties: object } }[] } })
    .result.tools;
  expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  for (const one of listed) {
    expect(one).toMatchObject({
      name: expect.stringMatching(/^[a-z_]+$/),
      description: expect.stringMatching(/^[A-Z].{20,}\.$/),
      inputSchema: { type: 'object', additionalProperties: false },
    });
    for (const argument of Object.values(one.inputSchema.properties))
      expect(argument, one.name).toMatchObject({ description: expect.stringMatching(/^\S.{9,}\.$/) });
  }
});

it.each(['notifications/initialized', 'notifications/cancelled', 'notifications/anything', 'tools/call'])(
  'accepts %s without an id, with an empty reply',
  async (method) => {
    const reply = await post({ jsonrpc: '2.0', method });

    expect(reply).toMatchObject({ status: 202, body: undefined });
    expect(calls.names).toEqual(['BatchGetItemCommand']);
  },
);

it.each([
  ['invalid JSON', '{', -32_700],
  ['nothing', '', -32_700],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600],
  ['an empty batch', '[]', -32_600],
  ['null', 'null', -32_600],
  ['a number', '7', -32_600],
  ['another version', '{"jsonrpc":"1.0","id":null,"method":"ping"}', -32_600],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
  ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600],
  ['no method', '{"jsonrpc":"2.0"}', -32_600],
  ['an answer', '{"jsonrpc":"2.0","result":{}}', -32_600],
  ['half a character', '{"jsonrpc":"2.0","method":"\\ud83d"}', -32_600],
])('refuses %s', async (_what, body, code) => {
  expect(await post(body)).toMatchObject(failure(400, code));
});

it('returns the id of a malformed message', async () => {
  expect(await post({ jsonrpc: '2.0', id: 3, method: 4 })).toMatchObject(failure(400, -32_600, 3));
});

it('refuses a body of more than 256 KiB', async () => {
  expect(await rpc('x'.repeat(2 ** 18))).toMatchObject(failure(413, -32_600));
});

it('refuses an unsupported protocol version, except in initialize', async () => {
  const headers = { 'mcp-protocol-version': '2024-11-05' };

  expect(await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers })).toMatchObject(
    failure(400, -32_600, 1),
  );
});

it.each([
  ['a method', 'resources/list', {}, -32_601],
  ['a tool', 'tools/call', { name: 'nope' }, -32_602],
  ['a cursor', 'tools/list', { cursor: 'x' }, -32_602],
  ['a call without a name', 'tools/call', {}, -32_602],
  ['an initialization without a revision', 'initialize', {}, -32_602],
])('says that it does not know %s', async (_what, method, params, code) => {
  expect(await rpc(method, params)).toMatchObject(failure(200, code, 7));
});

it.each(['projectId', 'project_id', 'taskId', 'chat_session_id', 'workspaceId', 'agentSessionId', 'owner'])(
  'refuses the argument %s',
  async (name) => {
    const reply = await rpc('tools/call', { name: 'get_instructions', arguments: { [name]: newId() } });

    expect(reply).toMatchObject({
      status: 200,
      body: {
        error: {
          code: -32_602,
          data: {
            details: [
              { field: `arguments.${name}`, message: 'Not an argument: the server takes it from your token' },
            ],
          },
        },
      },
    });
  },
);

it('refuses a browser request from another site', async () => {
  const headers = { origin: 'https://evil.example' };

  expect(await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers })).toMatchObject(
    failure(403, -32_000),
  );
});

it('checks the token before it reads the message', async () => {
  const reply = await post('{', { headers: { authorization: 'Bearer nope' } });

  expect(reply).toMatchObject(failure(401, -32_000));
});

it('counts requests towards the rate limit, but not notifications or malformed messages', async () => {
  await post('{');
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const first = await rpc('ping');
  const second = await rpc('ping');

  expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '119' });
  // A minute may have ended between the two.
  const isSameWindow = second.headers['x-ratelimit-reset'] === first.headers['x-ratelimit-reset'];
  expect(second.headers['x-ratelimit-remaining']).toBe(isSameWindow ? '118' : '119');
});

it('refuses a request above the rate limit, with a retry-after', async () => {
  const seconds = Math.floor(Date.now() / 1000);
  const { MCP } = rateLimits;
  for (const start of [0, MCP.windowSeconds].map((later) => seconds - (seconds % MCP.windowSeconds) + later))
    await putItem(sharedTable(), {
      ...rateWindowKey(MCP, agent.draft.agentSessionId, start),
      count: MCP.limit,
    });

  expect(await rpc('ping')).toMatchObject({
    ...failure(429, -32_000, 7),
    headers: { 'retry-after': expect.stringMatching(/^\d+$/), 'x-ratelimit-remaining': '0' },
  });
});

it('returns the instructions of a conversation in two table calls', async () => {
  const { body } = await rpc('tools/call', { name: 'get_instructions' });

  const { chatSessionId, workspaceId, agentSessionId } = agent.draft;
  const { content } = (body as { result: { content: { type: string; text: string }[] } }).result; // As MCP has it.
  expect(content).toHaveLength(1);
  expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
    context: { type: 'conversation', chatSessionId, workspaceId, agentSessionId },
    task: null,
    project: { id: agent.project.projectId, repository: 'octo/hello', repoProvider: 'github' },
    instructions: expect.arrayContaining([expect.any(String)]),
  });
  expect(calls.names).toHaveLength(2);
});
