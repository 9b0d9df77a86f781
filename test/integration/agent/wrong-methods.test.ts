import { request } from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentRows } from '../../../agent/api/contracts.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};
/** Without a length, Node.js sends the body of a GET as a second request. */
const unreadable = { 'content-type': 'text/x-unknown', 'content-length': '1' };
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

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

/** By path: the methods of its contracts. */
const allowedAt = new Map<string, Set<string>>();
for (const { contract } of agentRows) {
  if (contract.method === 'any') continue;
  const path = contract.path.replace(/\{\w+\}/g, 'some-id');
  const allowed = allowedAt.get(path) ?? new Set();
  allowed.add(contract.method.toUpperCase());
  allowedAt.set(path, allowed);
}
const socketPaths = agentRows
  .filter(({ contract }) => 101 in contract.responses && contract.method !== 'any')
  .map(({ contract }) => contract.path);

it.each([...allowedAt])('%s answers 405 with Allow to every other method', async (path, allowed) => {
  const withHead = allowed.has('GET') ? [...allowed, 'HEAD'] : [...allowed];
  for (const method of methods.filter((other) => !allowed.has(other))) {
    const answer = await send(method, `${path}?token=x`, unreadable, '{');
    expect({ method, ...answer }).toMatchObject({ status: 405, error: 'method_not_allowed' });
    expect(answer.allow.split(', ').sort()).toEqual(withHead.sort());
  }
});

it.each(socketPaths)('%s answers 405 with Allow to a handshake by another method', async (path) => {
  const answer = await send('POST', path, upgrade);
  expect(answer).toEqual({ status: 405, error: 'method_not_allowed', allow: 'GET' });
});

it.each(socketPaths)('%s answers 400 to a GET without an upgrade', async (path) => {
  expect(await send('GET', path, {})).toMatchObject({ status: 400, error: 'invalid_request' });
});

it.each(['/', '/workspaces/a/b/c/d/e', '/healthz', '//workspaces'])('%s stays unknown', async (path) => {
  const answer = await send('PUT', path, {});
  expect(answer).toEqual({ status: 404, error: 'not_found', allow: '' });
});

it('a preflight is answered on every path', async () => {
  const headers = { origin: fake.url, 'access-control-request-method': 'POST' };
  expect(await send('OPTIONS', '/workspaces', headers)).toMatchObject({ status: 204 });
});

async function send(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) {
  const sent = request({
    host: '127.0.0.1',
    port: agent.port,
    ca: agent.certificate(),
    method,
    path,
    headers,
  });
  return new Promise<{ status: number; error: unknown; allow: string }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => {
        const error = text ? JSON.parse(text).error : null;
        resolve({ status: response.statusCode ?? 0, error, allow: response.headers.allow ?? '' });
      });
    });
    sent.end(body);
  });
}
