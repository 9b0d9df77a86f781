import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const workspaceId = ulid();
let fake: FakeControlPlane;
let agent: AgentProcess;
let harness: AcpHarness;
let readyCount = 0;

describe('the agent sessions of a workspace that', () => {
  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
    harness = await AcpHarness.make(join(agent.folder, 'harness'));
    await start();
    await create(1);
  });

  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  it('stops and starts again continue their conversations', async () => {
    await converse('talks');
    const before = await sessionOf('talks');
    await session('suspended-by-a-person');
    await call('POST', '/agent-sessions/suspended-by-a-person/suspend');

    await call('POST', '/stop');
    expect(await sessionOf('talks')).toMatchObject({ status: 'suspended', hostStatus: 'idle' });
    expect(await call('POST', '/agent-sessions/talks/resume')).toMatchObject({ status: 409 });
    await restarted('/restart');
    expect(await sessionOf('talks')).toMatchObject({ status: 'running', hostStatus: 'idle' });
    expect(await sessionOf('suspended-by-a-person')).toMatchObject({ status: 'suspended' });

    await converse('talks');
    expect(await sessionOf('talks')).toMatchObject({ acpSessionId: before.acpSessionId });
    expect(harness.journal('load').at(-1)).toMatchObject({ sessionId: before.acpSessionId });
  });

  it('is rebuilt continue their conversations', async () => {
    await restarted('/rebuild');

    const { acpSessionId } = await sessionOf('talks');
    await converse('talks');
    expect(harness.journal('load').at(-1)).toMatchObject({ sessionId: acpSessionId });
  });

  it('starts again after a crash of the agent continue their conversations', async () => {
    await call('POST', '/stop');
    await agent.kill('SIGKILL');
    await start();
    expect(await sessionOf('talks')).toMatchObject({ status: 'suspended' });
    await restarted('/restart');

    const { acpSessionId } = await sessionOf('talks');
    await converse('talks');
    expect(harness.journal('load').at(-1)).toMatchObject({ sessionId: acpSessionId });
  });

  it('is created in a newer generation are stopped', async () => {
    await create(2);
    expect(await sessionOf('talks')).toMatchObject({ status: 'stopped' });
  });
});

function start(): Promise<void> {
  return agent.start({ ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }) });
}

async function call(method: string, path: string, body?: unknown) {
  const token = await fake.management(workspaceId);
  return agent.call(method, `/workspaces/${workspaceId}${path}`, token, body);
}

async function create(generation: number): Promise<void> {
  const body = await workspaceRequest(fake, workspaceId, { generation });
  await untilReady(async () => agent.call('POST', '/workspaces', await fake.management(workspaceId), body));
}

const restarted = (path: string) => untilReady(() => call('POST', path));

async function untilReady(request: () => Promise<{ readonly status: number }>): Promise<void> {
  expect(await request()).toMatchObject({ status: 202 });
  readyCount += 1;
  await until('the workspace', () => fake.callsTo(`${workspaceId}/ready`)[readyCount - 1]);
}

async function session(sessionId: string): Promise<void> {
  expect((await call('POST', '/agent-sessions', { sessionId })).status).toBe(201);
}

/** Runs one turn of the session. */
async function converse(sessionId: string): Promise<void> {
  const { body } = await call('GET', '/agent-sessions');
  const isThere = (body.sessions as { id: string }[]).some(({ id }) => id === sessionId);
  if (!isThere) await session(sessionId);
  const turn = { agentType: 'claude-code', initialPrompt: 'hello' };
  expect(await call('POST', `/agent-sessions/${sessionId}/start`, turn)).toMatchObject({ status: 202 });
  const isReady = async () => (await sessionOf(sessionId)).hostStatus === 'ready' || undefined;
  await until(`${sessionId} to be ready`, isReady, 30_000);
}

async function sessionOf(sessionId: string) {
  const { body } = await call('GET', '/agent-sessions');
  const sessions = body.sessions as {
    id: string;
    status: string;
    hostStatus: string;
    acpSessionId: string;
  }[];
  const found = sessions.find(({ id }) => id === sessionId);
  if (!found) throw new Error(`No session ${sessionId}`);
  return found;
}
