import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { type AgentSocketServer, startAgentSocketServer } from './agent-socket-server.js';
import { FakeControlPlane } from './fake-control-plane.js';

type Headers = Readonly<Record<string, string | undefined>>;

const good = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

const broken: readonly (readonly [what: string, method: string, headers: Headers])[] = [
  ['without a key', 'GET', { 'sec-websocket-key': undefined }],
  ['with a key of another length', 'GET', { 'sec-websocket-key': 'AAAA' }],
  ['without a version', 'GET', { 'sec-websocket-version': undefined }],
  ['of another version', 'GET', { 'sec-websocket-version': '99' }],
  ['to another protocol', 'GET', { upgrade: 'h2c' }],
  ['with a subprotocol that is no name', 'GET', { 'sec-websocket-protocol': 'a b' }],
  ['with a subprotocol said twice', 'GET', { 'sec-websocket-protocol': 'a, a' }],
];

async function ask(
  at: { readonly port: number; readonly ca: string; readonly path: string },
  method: string,
  headers: Headers,
) {
  const present = Object.entries({ ...good, ...headers }).filter(
    (entry): entry is [string, string] => !!entry[1],
  );
  const sent = request({ host: '127.0.0.1', ...at, method, headers: Object.fromEntries(present) });
  return new Promise<{ status: number; headers: Headers; text: string }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: {}, text: '' });
    });
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      const { 'content-type': type, 'sec-websocket-version': version } = response.headers;
      const headers = { type, version: version?.toString() };
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers, text }));
    });
    sent.end();
  });
}

function expectRefused({ status, headers, text }: Awaited<ReturnType<typeof ask>>, asked: Headers): void {
  expect({ status, type: headers.type }).toEqual({ status: 400, type: 'application/json' });
  expect(JSON.parse(text)).toEqual({ error: 'invalid_request', message: expect.any(String) });
  expect(headers.version).toBe('sec-websocket-version' in asked ? '13, 8' : undefined);
}

describe('/agent/ws', () => {
  let server: AgentSocketServer;
  const at = async () => {
    const query = `token=${await server.fake.terminal(server.workspaceId)}`;
    return { ...server.address, path: `/agent/ws?${query}` };
  };

  beforeAll(async () => {
    server = await startAgentSocketServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(broken)('refuses a handshake %s and makes no session', async (_, method, headers) => {
    expectRefused(await ask(await at(), method, headers), headers);
    expect(server.sessions.list(server.workspaceId)).toEqual([]);
  });

  it('accepts a complete handshake', async () => {
    const answer = await ask(await at(), 'GET', { 'sec-websocket-protocol': 'a , b' });
    expect(answer.status).toBe(101);
  });
});

describe.each(['/terminal/ws', '/terminal/ws/multi', '/logs/stream'])('%s', (path) => {
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
    await agent.start();
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  it.each(broken)('refuses a handshake %s', async (_, method, headers) => {
    const at = {
      port: agent.port,
      ca: agent.certificate(),
      path: `${path}?token=${await fake.management()}`,
    };
    expectRefused(await ask(at, method, headers), headers);
  });
});
