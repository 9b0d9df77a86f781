import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const workspaceId = ulid();
const waiting = { timeout: 20_000, interval: 20 };

let fake: FakeControlPlane;
let agent: AgentProcess;

beforeEach(async () => {
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
});

afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

async function untilReady() {
  await vi.waitFor(() => expect(fake.callsTo(`${nodeId}/ready`).length).toBeGreaterThan(0), waiting);
}

async function create(overrides: object = {}) {
  const body = await workspaceRequest(fake, workspaceId, overrides);
  return agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
}

const unavailable = { status: 503, body: { error: 'UNAVAILABLE', message: 'later' } };

it('survives an outage of the control plane at boot, with one redemption for all retries', async () => {
  fake.next.set('bootstrap', [unavailable, unavailable]);
  fake.next.set('jwks.json', [unavailable]);
  await agent.start();

  expect(await agent.call('GET', '/health', null)).toMatchObject({ status: 200 });
  await untilReady();

  const ids = new Set(fake.callsTo('/api/bootstrap').map(({ body }) => body.redemptionId));
  expect(fake.callsTo('/api/bootstrap')).toHaveLength(3);
  expect(ids.size).toBe(1);
});

it('redeems its token once, and uses the saved token at the second start', async () => {
  await agent.start();
  await untilReady();
  await agent.kill('SIGKILL');

  fake.calls.length = 0;
  await agent.start();
  await untilReady();

  expect(fake.callsTo('/api/bootstrap')).toHaveLength(0);
});

it('repeats the same redemption after a crash before the response was stored', async () => {
  fake.next.set('bootstrap', Array(50).fill(unavailable));
  await agent.start();
  await vi.waitFor(() => expect(fake.callsTo('/api/bootstrap').length).toBeGreaterThan(0), waiting);
  await agent.kill('SIGKILL');

  fake.next.clear();
  await agent.start();
  await untilReady();

  expect(new Set(fake.callsTo('/api/bootstrap').map(({ body }) => body.redemptionId)).size).toBe(1);
});

it('exits with 1 when its token is refused', async () => {
  await agent.start({ BOOTSTRAP_TOKEN: 'w'.repeat(43) });

  await vi.waitFor(() => expect(agent.exitCode).toBe(1), waiting);
  expect(agent.output).toContain('INVALID_TOKEN');
  expect(agent.output).not.toContain('w'.repeat(43));
});

it('exits with 1 and one line for an invalid configuration', async () => {
  await agent.start({ VM_AGENT_PORT: 'none' });

  expect(agent.exitCode).toBe(1);
  expect(agent.output).toBe(
    'vm-agent: bad configuration: VM_AGENT_PORT must be a whole number from 0 to 65535, not "none"\n',
  );
});

it('stops all callbacks when the control plane no longer knows the node', async () => {
  await agent.start();
  await untilReady();
  fake.next.set('heartbeat', [{ status: 410, body: { error: 'GONE', message: 'deleted' } }]);
  await vi.waitFor(() => expect(agent.output).toContain('all callbacks stop'), waiting);

  const { length } = fake.calls;
  await create();
  await vi.waitFor(async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    expect(body.workspaces).toMatchObject([{ status: 'errored' }]);
  }, waiting);

  expect(fake.calls).toHaveLength(length);
});

it('continues an unfinished workspace after kill -9', async () => {
  await agent.start();
  await untilReady();
  fake.next.set('git-token', Array(50).fill(unavailable));
  await create();
  await vi.waitFor(() => expect(fake.callsTo('git-token').length).toBeGreaterThan(0), waiting);
  await agent.kill('SIGKILL');

  fake.next.clear();
  await agent.start();

  await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
});

it('marks a workspace errored whose files disappeared while the agent was down', async () => {
  await agent.start();
  await untilReady();
  await create();
  await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
  await agent.kill('SIGKILL');

  rmSync(join(agent.folder, 'workspaces', workspaceId), { recursive: true });
  await agent.start();

  await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/provisioning-failed`)).toHaveLength(1), waiting);
  const { body } = await agent.call('GET', '/workspaces', await fake.management());
  expect(body.workspaces).toMatchObject([
    { status: 'errored', errorMessage: 'The files of the workspace no longer exist' },
  ]);
});

it('a stop wins over the provisioning that it interrupts', async () => {
  await agent.start();
  await untilReady();
  fake.next.set('git-token', Array(50).fill(unavailable));
  await create();
  await vi.waitFor(() => expect(fake.callsTo('git-token').length).toBeGreaterThan(0), waiting);

  const token = await fake.management(workspaceId);
  expect(await agent.call('POST', `/workspaces/${workspaceId}/stop`, token)).toMatchObject({ status: 200 });

  const { body } = await agent.call('GET', '/workspaces', await fake.management());
  expect(body.workspaces).toMatchObject([{ status: 'stopped' }]);
  expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(0);
  expect(fake.callsTo(`${workspaceId}/provisioning-failed`)).toHaveLength(0);
});

it('repeats an unanswered ready callback after the next heartbeat and after a restart', async () => {
  await agent.start();
  await untilReady();
  const isWorkspaceReady = () => fake.callsTo(`${workspaceId}/ready`).length;
  fake.next.set('ready', Array(3).fill(unavailable));
  await create();
  await vi.waitFor(() => expect(isWorkspaceReady()).toBe(1), waiting);
  await agent.kill('SIGKILL');

  fake.next.clear();
  await agent.start();

  await vi.waitFor(() => expect(isWorkspaceReady()).toBe(2), waiting);
  await vi.waitFor(() => expect(agent.output.match(/Node is ready/)).not.toBeNull(), waiting);
});

it('keeps files and loses shells over kill -9, and serves the workspace again', async () => {
  await agent.start();
  await untilReady();
  await create();
  await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
  const file = join(agent.folder, 'workspaces', workspaceId, 'work', 'full', 'kept.txt');
  const first = await TerminalClient.open(agent, await fake.terminal(workspaceId));
  first.send({ type: 'create_session', sessionId: 'one' });
  await first.waitFor('session_created');
  first.type('one', 'echo kept > kept.txt\n');
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), waiting);
  await agent.kill('SIGKILL');

  await agent.start();

  const second = await TerminalClient.open(agent, await fake.terminal(workspaceId));
  second.send({ type: 'reattach_session', sessionId: 'one' });
  expect(await second.waitFor('error')).toMatchObject({ data: { error: 'session not found' } });
  second.send({ type: 'create_session', sessionId: 'one' });
  await second.waitFor('session_created');
  second.type('one', 'cat kept.txt\n');
  await second.waitForText(/kept\r\n/);
});

it('opens no shell before it has ended the shells of its previous process', async () => {
  await agent.start();
  await untilReady();
  await create();
  await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
  const before = await TerminalClient.open(agent, await fake.terminal(workspaceId));
  before.send({ type: 'create_session', sessionId: 'stubborn' });
  await before.waitFor('session_created');
  before.type('stubborn', `bash -c 'trap "" TERM HUP; echo deaf $((1 + 1)); while :; do sleep 1; done'\n`);
  await before.waitForText(/deaf 2/);
  await agent.kill('SIGKILL');

  // Ending the old shells takes a second, and the sockets open before that.
  await agent.start();
  const after = await TerminalClient.open(agent, await fake.terminal(workspaceId));
  after.send({ type: 'create_session', sessionId: 'early' });
  await after.waitFor('session_created');
  await agent.call('GET', '/workspaces', await fake.management());

  after.type('early', 'echo alive $((40 + 2))\n');
  await after.waitForText(/alive 42/);
  expect(after.messages.map(({ type }) => type)).not.toContain('session_closed');
});

it('shuts down in order on SIGTERM: closes sockets, ends shells, exits with 0', async () => {
  await agent.start();
  await untilReady();
  await create();
  await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
  const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
  client.send({ type: 'create_session', sessionId: 'one' });
  await client.waitFor('session_created');

  await agent.kill('SIGTERM');

  expect(agent.exitCode).toBe(0);
  await vi.waitFor(() => expect(client.closed?.code).toBe(1001), waiting);
  expect(agent.output).not.toMatch(/Not ended/);
});
