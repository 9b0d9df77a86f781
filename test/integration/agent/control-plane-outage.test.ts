import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const secret = 'agent-key-that-must-stay-secret';
const workspaceId = ulid();
const asked = ['agent-key', 'agent-settings', 'runtime-assets'];
let fake: FakeControlPlane;
let agent: AgentProcess;
let harness: AcpHarness;
let count = 0;

describe('an outage of the control plane', () => {
  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
    harness = await AcpHarness.make(join(agent.folder, 'harness'));
    answer();
    await agent.start(environment());
    const body = await workspaceRequest(fake, workspaceId);
    await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
    await until('the workspace', () => fake.callsTo(`${workspaceId}/ready`)[0]);
  });

  afterEach(answer);

  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  it('lets a session restart in its generation', async () => {
    const sessionId = await readySession();
    fail(503);

    await crash(sessionId);
    await hosted(sessionId, 'ready');
    expect(harness.journal('load').at(-1)).toMatchObject({ sessionId: expect.any(String) });
  });

  it('lets a session start again after the agent was killed', async () => {
    const sessionId = await readySession();
    fail(503);
    await agent.kill('SIGKILL');
    await agent.start(environment());

    await call('POST', `/${sessionId}/prompt`, { prompt: 'hello' });
    await hosted(sessionId, 'ready');
    expect(await call('POST', `/${sessionId}/prompt`, { prompt: 'hello' })).toMatchObject({ status: 202 });
    await hosted(sessionId, 'ready');
  });

  it('lets a new session wait until the control plane answers', async () => {
    fail(503);
    const sessionId = await startedSession();
    const requests = fake.callsTo('/agent-key').length;
    await until('further requests', () => fake.callsTo('/agent-key').length > requests + 6 || undefined);
    expect(await sessionOf(sessionId)).toMatchObject({ status: 'running', hostStatus: 'starting' });

    answer();
    await hosted(sessionId, 'ready');
  });

  it('keeps no readable secret, and nothing of a stopped session', async () => {
    const sessionId = await readySession();
    expect(keptOf(sessionId)).toEqual(['key claude-code', 'settings claude-code', 'variables']);
    for (const file of ['state.db', 'state.db-wal'])
      expect(readFileSync(join(agent.folder, 'state', file)).includes(secret)).toBe(false);
    expect(statSync(join(agent.folder, 'state', 'seal.key')).mode & 0o777).toBe(0o600);

    await call('POST', `/${sessionId}/stop`);
    expect(keptOf(sessionId)).toEqual([]);
  });

  it('starts no session with a credential that was revoked before', async () => {
    const sessionId = await readySession();
    fake.handlers.set('agent-key', async () => ({
      status: 403,
      body: { error: 'FORBIDDEN', message: 'no' },
    }));
    await crash(sessionId);
    await hosted(sessionId, 'error');
    expect(keptOf(sessionId)).not.toContain('key claude-code');

    fail(503);
    await call('POST', `/${sessionId}/resume`);
    const requests = fake.callsTo('/agent-key').length;
    await call('POST', `/${sessionId}/prompt`, { prompt: 'hello' });
    await until('further requests', () => fake.callsTo('/agent-key').length > requests + 3 || undefined);
    expect(await sessionOf(sessionId)).toMatchObject({ status: 'running', hostStatus: 'starting' });
  });
});

function environment() {
  return { ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }) };
}

function answer(): void {
  for (const end of asked) fake.handlers.delete(end);
  fake.handlers.set('agent-key', async () => ({
    status: 200,
    body: { apiKey: secret, credentialKind: 'api-key' },
  }));
}

function fail(status: number): void {
  for (const end of asked)
    fake.handlers.set(end, async () => ({ status, body: { error: 'UNAVAILABLE', message: 'later' } }));
}

async function call(method: string, path: string, body?: unknown) {
  const token = await fake.management(workspaceId);
  return agent.call(method, `/workspaces/${workspaceId}/agent-sessions${path}`, token, body);
}

async function startedSession(): Promise<string> {
  count += 1;
  const sessionId = `s-${count}`;
  await call('POST', '', { sessionId });
  const start = { agentType: 'claude-code', initialPrompt: 'hello' };
  expect(await call('POST', `/${sessionId}/start`, start)).toMatchObject({ status: 202 });
  return sessionId;
}

async function readySession(): Promise<string> {
  const sessionId = await startedSession();
  await hosted(sessionId, 'ready');
  return sessionId;
}

/** Returns when the harness has exited. */
async function crash(sessionId: string): Promise<void> {
  await call('POST', `/${sessionId}/prompt`, { prompt: '[[crash 7]]' });
  await until('the exit', async () => (await sessionOf(sessionId)).hostStatus !== 'ready' || undefined);
}

async function sessionOf(sessionId: string) {
  const { body } = await call('GET', '');
  const sessions = body.sessions as { id: string; status: string; hostStatus: string }[];
  const session = sessions.find(({ id }) => id === sessionId);
  if (!session) throw new Error(`No session ${sessionId}`);
  return session;
}

const hosted = (sessionId: string, hostStatus: string) =>
  until(
    `${sessionId} ${hostStatus}`,
    async () => (await sessionOf(sessionId)).hostStatus === hostStatus || undefined,
    30_000,
  );

function keptOf(sessionId: string): string[] {
  using database = new DatabaseSync(join(agent.folder, 'state', 'state.db'), { readOnly: true });
  return database
    .prepare('SELECT name FROM kept_answers WHERE session_id = ? ORDER BY name')
    .all(sessionId)
    .map(({ name }) => String(name));
}
