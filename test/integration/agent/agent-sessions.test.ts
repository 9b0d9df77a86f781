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
let count = 0;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  harness = await AcpHarness.make(join(agent.folder, 'harness'));
  await agent.start(settings());
  const body = await workspaceRequest(fake, workspaceId);
  await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
  await untilWorkspaceRuns();
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

function settings() {
  return {
    ACP_COMMAND_OVERRIDES: JSON.stringify({ 'claude-code': harness.command }),
    ACP_PROMPT_RETRY_INITIAL_BACKOFF: '10ms',
    ACP_PROMPT_CANCEL_GRACE_PERIOD: '300ms',
  };
}

async function untilWorkspaceRuns() {
  await until('the workspace', async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    const [workspace] = body.workspaces as { status: string }[];
    return workspace?.status === 'running' || undefined;
  });
}

async function call(method: string, path: string, body?: unknown) {
  const token = await fake.management(workspaceId);
  return agent.call(method, `/workspaces/${workspaceId}/agent-sessions${path}`, token, body);
}

const versioned = (deliveryId: string) => ({ protocolVersion: 1, deliveryId });

async function newSession(): Promise<string> {
  count += 1;
  const sessionId = `s-${count}`;
  expect(await call('POST', '', { sessionId })).toMatchObject({ status: 201 });
  return sessionId;
}

/** A session whose harness has answered its first prompt. */
async function readySession(): Promise<string> {
  const sessionId = await newSession();
  const start = { agentType: 'claude-code', initialPrompt: 'hello', ...versioned(`${sessionId}-start`) };
  expect(await call('POST', `/${sessionId}/start`, start)).toMatchObject({ status: 202 });
  await hosted(sessionId, 'ready');
  return sessionId;
}

async function sessionOf(sessionId: string) {
  const { body } = await call('GET', '');
  const sessions = body.sessions as { id: string; hostStatus: string; acpSessionId: string | null }[];
  const session = sessions.find(({ id }) => id === sessionId);
  if (!session) throw new Error(`No session ${sessionId}`);
  return session;
}

async function hosted(sessionId: string, hostStatus: string) {
  return until(
    `${sessionId} ${hostStatus}`,
    async () => {
      const session = await sessionOf(sessionId);
      return session.hostStatus === hostStatus ? session : undefined;
    },
    20_000,
  );
}

async function receipt(sessionId: string, deliveryId: string) {
  return (await call('GET', `/${sessionId}/prompt-receipts/${deliveryId}`)).body;
}

const invocations = (text: string) => harness.journal('prompt').filter((entry) => entry.text === text);

describe('a prompt with a deliveryId', () => {
  it('is accepted once over repeats, and its receipt has the result', async () => {
    const sessionId = await readySession();
    const prompt = { prompt: `once ${sessionId}`, messageId: 'm-1', ...versioned('d-1') };

    const first = await call('POST', `/${sessionId}/prompt`, prompt);
    expect(first).toMatchObject({
      status: 202,
      body: {
        status: 'accepted',
        sessionId: (await sessionOf(sessionId)).acpSessionId,
        receipt: { deliveryId: 'd-1', state: 'in_flight', completedAt: null },
      },
    });
    await hosted(sessionId, 'ready');
    const again = await call('POST', `/${sessionId}/prompt`, prompt);
    expect(again).toMatchObject({
      status: 200,
      body: { status: 'accepted', receipt: { state: 'completed' } },
    });
    expect(await receipt(sessionId, 'd-1')).toEqual(again.body.receipt);
    expect(invocations(prompt.prompt)).toHaveLength(1);
  });

  it('is a conflict when any field differs', async () => {
    const sessionId = await readySession();
    const prompt = { prompt: 'one', messageId: 'm-1', ...versioned('d-1') };
    await call('POST', `/${sessionId}/prompt`, prompt);

    for (const change of [{ prompt: 'two' }, { messageId: 'm-2' }, { messageId: undefined }])
      expect(await call('POST', `/${sessionId}/prompt`, { ...prompt, ...change })).toMatchObject({
        status: 409,
        body: { status: 'conflict', receipt: { deliveryId: 'd-1' } },
      });
    const start = { agentType: 'claude-code', initialPrompt: 'one', messageId: 'm-1', ...versioned('d-1') };
    expect(await call('POST', `/${sessionId}/start`, start)).toMatchObject({ body: { status: 'conflict' } });
  });

  it('is not ready while another one is in flight, and is accepted afterwards', async () => {
    const sessionId = await readySession();
    harness.closeGate(sessionId);
    await call('POST', `/${sessionId}/prompt`, { prompt: `[[wait ${sessionId}]]`, ...versioned('d-1') });
    const second = { prompt: 'second', ...versioned('d-2') };

    expect(await call('POST', `/${sessionId}/prompt`, second)).toMatchObject({
      status: 409,
      body: { status: 'not_ready', receipt: { state: 'accepted' } },
    });
    expect(await call('POST', `/${sessionId}/prompt`, { prompt: 'x' })).toMatchObject({
      status: 409,
      body: { status: 'busy' },
    });
    harness.openGate(sessionId);
    await hosted(sessionId, 'ready');
    expect(await call('POST', `/${sessionId}/prompt`, second)).toMatchObject({ status: 202 });
  });

  it('is invoked once for concurrent requests', async () => {
    const sessionId = await readySession();
    const prompt = { prompt: `together ${sessionId}`, ...versioned('d-1') };

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', `/${sessionId}/prompt`, prompt)),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 202]);
    await hosted(sessionId, 'ready');
    expect(invocations(prompt.prompt)).toHaveLength(1);
  });

  it('answers not_found with the runtime identity for an unknown delivery', async () => {
    const sessionId = await newSession();
    const { body: capabilities } = await agent.call(
      'GET',
      `/workspaces/${workspaceId}/agent-capabilities`,
      await fake.management(workspaceId),
    );
    const { runtimeIdentity } = capabilities;

    expect(await call('GET', `/${sessionId}/prompt-receipts/none`)).toEqual({
      status: 404,
      body: { deliveryId: 'none', state: 'not_found', runtimeIdentity, acceptedAt: null, completedAt: null },
    });
    expect(await call('GET', '/unknown/prompt-receipts/none')).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
  });
});

it('retries a prompt when the provider is overloaded', async () => {
  const sessionId = await readySession();
  const prompt = '[[fail-times 1 API Error: 529 {"type":"overloaded_error"}]][[say done]]';
  await call('POST', `/${sessionId}/prompt`, { prompt, ...versioned('d-1') });

  await until('the end', async () => (await receipt(sessionId, 'd-1')).state === 'completed' || undefined);
  expect(invocations(prompt)).toHaveLength(2);
});

it('cancels a prompt, stopping the harness if needed, and keeps the ACP session', async () => {
  const sessionId = await readySession();
  const { acpSessionId } = await sessionOf(sessionId);
  await call('POST', `/${sessionId}/prompt`, { prompt: '[[wait never]]' });
  await hosted(sessionId, 'prompting');
  expect(await call('POST', `/${sessionId}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'cancelled' },
  });
  await hosted(sessionId, 'ready');

  harness.behave({ ignoresCancel: true });
  const invoked = harness.journal('prompt').length;
  await call('POST', `/${sessionId}/prompt`, { prompt: '[[say half]][[wait never]]', ...versioned('d-1') });
  await until('the prompt', () => harness.journal('prompt').length > invoked || undefined);
  await call('POST', `/${sessionId}/cancel`);
  await until('the end', async () => (await receipt(sessionId, 'd-1')).state !== 'in_flight' || undefined);
  await hosted(sessionId, 'ready');
  harness.behave({ ignoresCancel: false });

  expect(harness.journal('load').at(-1)?.sessionId).toBe(acpSessionId);
  expect(await call('POST', `/${sessionId}/cancel`)).toMatchObject({ status: 409, body: { status: 'idle' } });
});

it('rolls over to a new process in the same ACP session', async () => {
  const sessionId = await readySession();
  const { acpSessionId } = await sessionOf(sessionId);
  await call('POST', `/${sessionId}/prompt`, { prompt: '[[say half]][[wait never]]', ...versioned('d-1') });
  await hosted(sessionId, 'prompting');
  const path = `/${sessionId}/checkpoint-rollovers`;
  expect(await call('POST', path, { protocolVersion: 1, operationId: 'op-1', graceMs: 2_000 })).toMatchObject(
    {
      status: 202,
      body: { state: 'in_progress' },
    },
  );

  const done = await until('the rollover', async () => {
    const { body } = await call('GET', `${path}/op-1`);
    return body.state === 'in_progress' ? undefined : body;
  });
  expect(done).toMatchObject({ state: 'completed', acpSessionId, errorCode: null });
  expect(await receipt(sessionId, 'd-1')).toMatchObject({ state: 'completed' });
  expect(harness.journal('load').at(-1)?.sessionId).toBe(acpSessionId);
  await call('POST', `/${sessionId}/prompt`, { prompt: 'and on', ...versioned('d-2') });
  await hosted(sessionId, 'ready');
});

it('fails a rollover whose harness reports a load that it did not do', async () => {
  const sessionId = await readySession();
  const acpSessionId = (await sessionOf(sessionId)).acpSessionId ?? '';
  const prompt = `[[say ${sessionId}]][[wait never]]`;
  await call('POST', `/${sessionId}/prompt`, { prompt });
  await until('the prompt', () => harness.transcript(acpSessionId).includes(prompt) || undefined);
  harness.behave({ liesOnLoad: true });
  harness.forget(acpSessionId);
  const path = `/${sessionId}/checkpoint-rollovers`;
  await call('POST', path, { protocolVersion: 1, operationId: 'op-1', graceMs: 0 });

  const done = await until('the rollover', async () => {
    const { body } = await call('GET', `${path}/op-1`);
    return body.state === 'in_progress' ? undefined : body;
  });
  harness.behave({ liesOnLoad: false });
  expect(done).toMatchObject({ state: 'failed', errorCode: 'strict_resume_failed' });
  expect(await sessionOf(sessionId)).toMatchObject({ hostStatus: 'error', acpSessionId });
});

it('suspends, resumes and stops a session', async () => {
  const sessionId = await readySession();
  const { acpSessionId } = await sessionOf(sessionId);
  expect(await call('POST', `/${sessionId}/suspend`)).toMatchObject({
    status: 200,
    body: { status: 'suspended' },
  });
  expect(await call('POST', `/${sessionId}/resume`)).toMatchObject({
    status: 200,
    body: { status: 'running', hostStatus: 'idle', acpSessionId },
  });
  const prompt = { prompt: 'back', ...versioned('d-1') };
  expect(await call('POST', `/${sessionId}/prompt`, prompt)).toMatchObject({ status: 409 });
  await hosted(sessionId, 'ready');
  expect(harness.journal('load').at(-1)?.sessionId).toBe(acpSessionId);
  expect(await call('POST', `/${sessionId}/prompt`, prompt)).toMatchObject({ status: 202 });

  expect(await call('POST', `/${sessionId}/stop`)).toMatchObject({
    status: 200,
    body: { status: 'stopped' },
  });
  for (const move of ['suspend', 'resume'])
    expect(await call('POST', `/${sessionId}/${move}`)).toMatchObject({
      status: 409,
      body: { error: 'invalid_transition' },
    });
  expect(await call('POST', `/${sessionId}/prompt`, { prompt: 'x' })).toMatchObject({
    status: 409,
    body: { status: 'stopped' },
  });
});

it('creates a session once a key, and refuses another with its id', async () => {
  const token = await fake.management(workspaceId);
  const path = `/workspaces/${workspaceId}/agent-sessions`;
  const create = (key: string) =>
    agent.call('POST', path, token, { sessionId: 'keyed' }, { 'idempotency-key': key });

  const first = await create('k-1');
  expect(first).toMatchObject({ status: 201, body: { id: 'keyed', status: 'running', hostStatus: 'idle' } });
  expect(await create('k-1')).toEqual(first);
  expect(await create('k-2')).toMatchObject({ status: 409, body: { error: 'session_conflict' } });
});

it.each([
  ['POST', '/s/prompt', { prompt: 'x', protocolVersion: 2, deliveryId: 'd' }, 'unsupported_protocol_version'],
  ['POST', '/s/prompt', { prompt: 'x', deliveryId: 'd' }, 'unsupported_protocol_version'],
  ['POST', '/s/prompt', { prompt: 'x', protocolVersion: 1, deliveryId: 'a b' }, 'invalid_request'],
  ['POST', '/s/prompt', { prompt: '' }, 'invalid_request'],
  ['POST', '/s/start', { agentType: 'nobody', initialPrompt: 'x' }, 'invalid_request'],
  [
    'POST',
    '/s/checkpoint-rollovers',
    { protocolVersion: 3, operationId: 'o' },
    'unsupported_protocol_version',
  ],
  [
    'POST',
    '/s/checkpoint-rollovers',
    { protocolVersion: 1, operationId: 'o', graceMs: -1 },
    'invalid_request',
  ],
  [
    'POST',
    '/s/checkpoint-rollovers',
    { protocolVersion: 1, operationId: 'o', graceMs: 120_001 },
    'invalid_request',
  ],
  ['GET', '/s/prompt-receipts/a%20b', undefined, 'invalid_request'],
  ['POST', '', { sessionId: 't', mcpServers: [{ url: 'http://elsewhere' }] }, 'invalid_request'],
])('refuses %s %s %j and changes nothing', async (method, path, body, error) => {
  await call('POST', '', { sessionId: 's' });

  const answer = await call(method, path, body);

  expect(answer).toMatchObject({ status: 400, body: { error } });
  if (error === 'unsupported_protocol_version') expect(answer.body.supportedVersions).toEqual([1]);
  expect(await call('GET', '/s/prompt-receipts/d')).toMatchObject({ body: { state: 'not_found' } });
  expect(await call('GET', '/s/checkpoint-rollovers/o')).toMatchObject({ status: 404 });
});

it.each([
  ['http elsewhere', 'http://models.example/v1'],
  ['a user', 'https://name:key@models.example/v1'],
  ['a query', 'https://models.example/v1?key=1'],
  ['more than 2,048 characters', `https://models.example/${'a'.repeat(2_048)}`],
  ['another scheme', 'file:///etc/passwd'],
])('refuses a provider address with %s, and names the field', async (_, opencodeBaseUrl) => {
  await call('POST', '', { sessionId: 's' });
  const own = { opencodeProvider: 'custom', opencodeBaseUrl };

  const answer = await call('POST', '/s/start', { agentType: 'opencode', initialPrompt: 'x', ...own });

  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  expect(answer.body.message).toContain('opencodeBaseUrl');
});

it('marks the receipt of a killed agent ambiguous, and keeps the ACP session', async () => {
  const sessionId = await readySession();
  const { acpSessionId } = await sessionOf(sessionId);
  const prompt = { prompt: `[[say half]][[wait ${sessionId}]]`, ...versioned('d-1') };
  await call('POST', `/${sessionId}/prompt`, prompt);
  await until('the prompt', () => invocations(prompt.prompt)[0]);
  const before = await receipt(sessionId, 'd-1');
  await agent.kill('SIGKILL');
  await agent.start(settings());

  expect(await receipt(sessionId, 'd-1')).toEqual({
    ...before,
    state: 'ambiguous',
    errorCode: 'runtime_changed_after_invocation_claim',
  });
  expect(await call('POST', `/${sessionId}/prompt`, prompt)).toMatchObject({
    status: 200,
    body: { receipt: { state: 'ambiguous' } },
  });
  expect((await call('GET', `/${sessionId}/prompt-receipts/d-2`)).body.runtimeIdentity).not.toBe(
    before.runtimeIdentity,
  );
  expect(await call('POST', `/${sessionId}/prompt`, { prompt: 'go on' })).toMatchObject({ status: 409 });
  await hosted(sessionId, 'ready');
  expect(harness.journal('load').at(-1)?.sessionId).toBe(acpSessionId);
  expect(invocations(prompt.prompt)).toHaveLength(1);
});

it('suspends sessions with their workspace, and deletes them with it', async () => {
  const sessionId = await readySession();
  const token = await fake.management(workspaceId);
  await agent.call('POST', `/workspaces/${workspaceId}/stop`, token);
  expect(await sessionOf(sessionId)).toMatchObject({ status: 'suspended' });
  expect(await call('POST', '', { sessionId: 'late' })).toMatchObject({ status: 409 });

  await agent.call('DELETE', `/workspaces/${workspaceId}`, token);
  expect(await call('GET', '')).toMatchObject({ status: 404 });
});
