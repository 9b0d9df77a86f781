import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { LogStreamClient } from './log-stream-client.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
let fake: FakeControlPlane;
let agent: AgentProcess;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
});

beforeEach(() => {
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone', GRACEFUL_SHUTDOWN_TIMEOUT: '9s' });
});

afterEach(() => agent[Symbol.asyncDispose]());
afterAll(() => fake[Symbol.asyncDispose]());

async function make(id: string): Promise<void> {
  await agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id));
  await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).not.toHaveLength(0), waiting);
}

it('exits cleanly in time despite silent sockets, incomplete requests and idle connections', async () => {
  const id = ulid();
  await agent.start();
  await make(id);
  const terminal = await TerminalClient.open(agent, await fake.terminal(id));
  terminal.send({ type: 'create_session', sessionId: 'one' });
  await terminal.waitFor('session_created');
  const stream = await LogStreamClient.open(agent, await fake.management());
  // Neither reads any more, so neither answers a close.
  for (const { socket } of [terminal, stream]) socket.pause();
  const tls = { host: '127.0.0.1', port: agent.port, ca: agent.certificate() };
  const half = connect(tls, () => half.write('GET /health HTTP/1.1\r\nHost: x\r\n'));
  const body = connect(tls, () =>
    body.write(
      `POST /workspaces/${id}/files/upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n` +
        'Content-Type: multipart/form-data; boundary=B\r\n\r\n',
    ),
  );
  const idle = connectPlain(agent.port, '127.0.0.1');
  for (const socket of [half, body, idle]) socket.on('error', () => undefined);
  await Promise.all([once(half, 'secureConnect'), once(body, 'secureConnect'), once(idle, 'connect')]);

  await agent.kill('SIGTERM');

  expect(agent.exitCode).toBe(0);
  expect(agent.output).not.toMatch(/Not ended/);
  for (const socket of [half, body, idle, terminal.socket, stream.socket])
    'destroy' in socket ? socket.destroy() : socket.terminate();
});

it('sends callbacks that a refused token delayed as soon as a newer token arrives', async () => {
  const id = ulid();
  const before = fake.callsTo('heartbeat').length;
  await agent.start();
  await vi.waitFor(() => expect(fake.callsTo('heartbeat').length).toBeGreaterThan(before), waiting);
  fake.next.set('ready', [{ status: 401, body: { error: 'UNAUTHORIZED', message: 'expired' } }]);
  await make(id);
  const beats = fake.callsTo('heartbeat').length;
  await vi.waitFor(() => expect(fake.callsTo('heartbeat').length).toBeGreaterThan(beats + 3), waiting);
  expect(fake.callsTo(`${id}/ready`)).toHaveLength(1);

  const claims = { aud: 'workspace-callback', sub: id, node: 'N', generation: 1 };
  const callbackToken = await fake.sign(claims, '48h');
  const body = await workspaceRequest(fake, id, { callbackToken });
  await agent.call('POST', '/workspaces', await fake.management(id), body);

  await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(2), waiting);
  expect(fake.callsTo(`${id}/ready`)[1]?.authorization).toBe(`Bearer ${callbackToken}`);
});

it.each([
  ['is thrown', "setImmediate(() => { throw new Error('Bearer abcdef012345') })"],
  ['is a promise', "Promise.reject(new Error('Bearer abcdef012345'))"],
])('ends when a failure that nobody handles %s, and reveals no secret of it', async (_, failure) => {
  const failing = join(agent.folder, 'fail.cjs');
  writeFileSync(failing, `process.on('SIGUSR2', () => { ${failure} })`);
  await agent.start({ NODE_OPTIONS: `--require ${failing}` });

  await agent.kill('SIGUSR2');

  expect(agent.exitCode).toBe(1);
  expect(agent.output).toContain('Unhandled failure');
  expect(agent.output).toContain('[redacted]');
  expect(agent.output).not.toContain('abcdef012345');
});
