import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { until } from '../../support/until.js';
import { ObjectStore } from '../snapshots/object-store.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { SnapshotPlane } from './snapshot-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const workspaceId = ulid();
const sessionId = 'chat-agent';
const chatSessionId = 'chat-1';

let fake: FakeControlPlane;
let store: ObjectStore;
let plane: SnapshotPlane;
const machines: Machine[] = [];

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  store = await ObjectStore.start();
});
beforeEach(() => {
  plane = new SnapshotPlane(fake, store);
});
afterEach(async () => {
  store.fault = 'none';
  for (const machine of machines.splice(0)) await machine.agent[Symbol.asyncDispose]();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

/**
 * An agent with the workspace on it, and a coding agent that keeps what was said in the workspace's
 * home.
 */
class Machine {
  private constructor(
    readonly agent: AgentProcess,
    readonly harness: AcpHarness,
  ) {}

  static async boot(): Promise<Machine> {
    const agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
    const home = join(agent.folder, 'workspaces', workspaceId, 'home');
    const harness = await AcpHarness.make(join(agent.folder, 'harness'), {}, join(home, '.claude/sessions'));
    const machine = new Machine(agent, harness);
    machines.push(machine);
    await machine.start();
    const body = await workspaceRequest(fake, workspaceId);
    await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
    await machine.untilRunning();
    return machine;
  }

  start() {
    const overrides = JSON.stringify({ 'claude-code': this.harness.command });
    const interval = { SESSION_SNAPSHOT_PROGRESS_REPORT_INTERVAL: '200ms' };
    return this.agent.start({ ACP_COMMAND_OVERRIDES: overrides, ...interval });
  }

  async untilRunning() {
    await until('the workspace', async () => {
      const { body } = await this.agent.call('GET', '/workspaces', await fake.management());
      return (body.workspaces as { status: string }[])[0]?.status === 'running' || undefined;
    });
  }

  file(path: string): string {
    return join(this.agent.folder, 'workspaces', workspaceId, path);
  }

  async call(method: string, path: string, body?: unknown) {
    const token = await fake.management(workspaceId);
    return this.agent.call(method, `/workspaces/${workspaceId}/agent-sessions${path}`, token, body);
  }

  async session() {
    const { body } = await this.call('GET', '');
    const sessions = body.sessions as {
      id: string;
      status: string;
      hostStatus: string;
      acpSessionId: string | null;
    }[];
    return sessions.find(({ id }) => id === sessionId);
  }

  async prompt(text: string, path = 'prompt', more: object = { prompt: text }) {
    const delivery = { protocolVersion: 1, deliveryId: ulid() };
    const reply = await this.call('POST', `/${sessionId}/${path}`, { ...more, ...delivery });
    expect(reply).toMatchObject({ status: 202 });
    await until(`the answer to ${text}`, async () => {
      const { body } = await this.call('GET', `/${sessionId}/prompt-receipts/${delivery.deliveryId}`);
      return body.state === 'completed' || undefined;
    });
  }

  /** A conversation of two prompts, and work that is in no commit. */
  async work() {
    await this.call('POST', '', { sessionId, chatSessionId, projectId: 'project-1' });
    await this.prompt('hello', 'start', { agentType: 'claude-code', initialPrompt: 'hello', model: 'large' });
    await this.prompt('remember the blue door');
    appendFileSync(this.file('work/full/hello.txt'), 'changed\n');
    writeFileSync(this.file('work/full/new.txt'), 'new\n');
  }

  /** Requests a capture, without waiting for it. */
  async requestCapture(operationId = plane.newOperation(), more: object = {}) {
    const reply = await this.call('POST', `/${sessionId}/hibernate`, { chatSessionId, operationId, ...more });
    return { ...reply, operationId };
  }

  /** Captures the workspace. Returns the operation. */
  async capture(operationId = plane.newOperation()) {
    const reply = await this.requestCapture(operationId);
    expect(reply).toMatchObject({ status: 202, body: { operationId, accepted: true } });
    await until('the capture', async () => plane.completions(operationId).length > 0 || undefined);
    return operationId;
  }

  async requestRestore(operationId = plane.newOperation(), more: object = {}) {
    const body = { chatSessionId, agentType: 'claude-code', operationId, ...more };
    return { ...(await this.call('POST', `/${sessionId}/restore`, body)), operationId };
  }

  /** Restores the snapshot. Returns the reported result. */
  async restore(operationId = plane.newOperation(), more: object = {}) {
    const before = plane.results(operationId).length;
    const reply = await this.requestRestore(operationId, more);
    expect(reply).toMatchObject({ status: 202, body: { operationId, accepted: true } });
    return until('the result', async () => plane.results(operationId)[before]);
  }

  async stop(snapshotOperationId?: string) {
    const body = snapshotOperationId === undefined ? {} : { snapshotOperationId };
    return this.agent.call(
      'POST',
      `/workspaces/${workspaceId}/stop`,
      await fake.management(workspaceId),
      body,
    );
  }

  async restart(generation: number) {
    const body = { generation, callbackToken: await fake.workspaceCallback(workspaceId, generation) };
    await this.agent.call(
      'POST',
      `/workspaces/${workspaceId}/restart`,
      await fake.management(workspaceId),
      body,
    );
    await this.untilRunning();
  }
}

async function captured() {
  const old = await Machine.boot();
  await old.work();
  const acpSessionId = (await old.session())?.acpSessionId;
  await old.capture();
  return { old, acpSessionId };
}

async function newMachine(chat: object = { chatSessionId, projectId: 'project-1' }) {
  const machine = await Machine.boot();
  expect(await machine.call('POST', '', { sessionId, ...chat })).toMatchObject({ status: 201 });
  return machine;
}

const whole = { status: 'restored', message: null, missing: [] };

it('continues a session on another node: work, home and ACP session', async () => {
  const { old, acpSessionId } = await captured();
  await old.agent[Symbol.asyncDispose]();
  rmSync(old.agent.folder, { recursive: true });
  expect(plane.manifest?.sessions).toMatchObject([
    { acpSessionId, agentType: 'claude-code', isPrompting: false, settings: { model: 'large' } },
  ]);
  expect(plane.manifest?.sessions[0]?.lastSequence).toBeGreaterThanOrEqual(4);

  const machine = await newMachine();
  const operationId = plane.newOperation();
  const restored = await machine.restore(operationId);

  expect(restored).toEqual({
    ...whole,
    chatSessionId,
    operationId,
    sessions: [{ agentSessionId: sessionId, agentType: 'claude-code', hasConversation: true }],
  });
  expect(await machine.session()).toMatchObject({ status: 'running', hostStatus: 'ready', acpSessionId });
  expect(readFileSync(machine.file('work/full/hello.txt'), 'utf8')).toMatch(/changed\n$/);
  expect(readFileSync(machine.file('work/full/new.txt'), 'utf8')).toBe('new\n');
  await machine.prompt('which door?');
  const said = readFileSync(machine.file(`home/.claude/sessions/${acpSessionId}.jsonl`), 'utf8');
  expect(said.indexOf('blue door')).toBeLessThan(said.indexOf('which door'));

  // A repeat reports the same result and changes nothing.
  writeFileSync(machine.file('work/full/new.txt'), 'newer\n');
  expect(await machine.restore(operationId)).toEqual(restored);
  expect(readFileSync(machine.file('work/full/new.txt'), 'utf8')).toBe('newer\n');
});

it('captures without changing the session, and reports a prompt in flight', async () => {
  const { old } = await captured();
  old.harness.closeGate('work');
  const delivery = { protocolVersion: 1, deliveryId: ulid() };
  await old.call('POST', `/${sessionId}/prompt`, { prompt: '[[wait work]]', ...delivery });

  const operationId = await old.capture();

  expect(plane.manifest).toMatchObject({ sessions: [{ isPrompting: true }] });
  expect(plane.steps(operationId)[0]).toBe('prepared');
  expect(await old.session()).toMatchObject({ status: 'running', hostStatus: 'prompting' });
  old.harness.openGate('work');
  await until('the end', async () => (await old.session())?.hostStatus === 'ready' || undefined);
});

it('continues a capture after a crash of the agent', async () => {
  const { old } = await captured();
  let isAnswered = false;
  fake.handlers.set('upload-url', async () => {
    isAnswered = true;
    return { status: 0, body: null };
  });
  const { operationId } = await old.requestCapture();
  await until('the upload', async () => isAnswered || undefined);
  await old.agent.kill('SIGKILL');
  plane = new SnapshotPlane(fake, store);
  await old.start();

  await until('the manifest', async () => plane.completions(operationId)[0]);
});

it('sends the manifest again for a repeated request, and captures once', async () => {
  const { old } = await captured();
  const operationId = await old.capture();
  const uploads = store.headers.size;

  await old.requestCapture(operationId);
  await until('the repeat', async () => plane.completions(operationId).length === 2 || undefined);

  const [first, second] = plane.completions(operationId);
  expect(second).toEqual(first);
  expect(store.headers.size).toBe(uploads);
});

it('refuses a second operation while one runs', async () => {
  const { old } = await captured();
  const { promise, resolve } = Promise.withResolvers<{ status: number; body: unknown }>();
  fake.handlers.set('complete', () => promise);
  const { operationId } = await old.requestCapture();
  await until('the manifest', async () => plane.completions(operationId).length > 0 || undefined);

  expect(await old.requestCapture()).toMatchObject({ status: 202, body: { accepted: false } });
  expect(await old.requestRestore()).toMatchObject({ status: 202, body: { accepted: false } });
  expect(await old.requestCapture(operationId)).toMatchObject({ status: 202, body: { accepted: true } });
  resolve({ status: 409, body: { error: 'STALE_OPERATION', message: 'cancelled' } });

  await until('the end', async () => (await old.requestCapture()).body.accepted === true || undefined);
  expect(plane.failures(operationId)).toEqual([]);
});

it.each(['refuses', 'cuts'] as const)('reports a failure when the store %s', async (fault) => {
  const { old } = await captured();
  store.fault = fault;

  const { operationId } = await old.requestCapture();
  await until('the failure', async () => plane.failures(operationId).length > 0 || undefined);

  expect(JSON.stringify(plane.failures(operationId))).not.toContain('secret-of-the-url');
  expect(plane.completions(operationId)).toEqual([]);
  expect(old.agent.output).not.toContain('secret-of-the-url');
});

it('reports a restore without the ACP session as degraded', async () => {
  await captured();
  const machine = await newMachine();
  machine.harness.behave({ liesOnLoad: true });
  // Whatever comes back, this harness cannot show that it had the session.
  const { manifest } = plane;
  if (!manifest) throw new Error('no manifest');
  const sessions = manifest.sessions.map((one) => ({ ...one, acpSessionId: 'another-session' }));
  plane.manifest = { ...manifest, sessions };

  const restored = await machine.restore();

  expect(restored).toMatchObject({
    status: 'degraded',
    missing: [{ part: 'agent' }],
    sessions: [{ hasConversation: false }],
  });
  expect(await machine.session()).toMatchObject({
    status: 'running',
    hostStatus: 'idle',
    acpSessionId: null,
  });
  expect(readFileSync(machine.file('work/full/new.txt'), 'utf8')).toBe('new\n');
});

it('restores nothing for another chat, or into a stopped session', async () => {
  await captured();
  const other = await newMachine({ chatSessionId: 'chat-2', projectId: 'project-1' });

  expect(await other.requestRestore()).toMatchObject({ status: 409, body: { error: 'session_conflict' } });
  await other.call('POST', `/${sessionId}/stop`);
  expect(await other.requestRestore(undefined, { chatSessionId: 'chat-2' })).toMatchObject({
    status: 409,
    body: { error: 'invalid_transition' },
  });
  expect(existsSync(other.file('work/full/new.txt'))).toBe(false);
});

it('reports an object that differs from its manifest, and restores the other one', async () => {
  await captured();
  const machine = await newMachine();
  const object = store.object('home');
  const at = object.length >> 1;
  object[at] = (object[at] ?? 0) ^ 1;

  const failed = await machine.restore();

  expect(failed).toMatchObject({
    status: 'home_failed',
    missing: [{ part: 'home', reason: expect.stringContaining('hash mismatch') }, { part: 'agent' }],
  });
  expect(await machine.session()).toMatchObject({
    status: 'running',
    hostStatus: 'idle',
    acpSessionId: null,
  });
  expect(readFileSync(machine.file('work/full/new.txt'), 'utf8')).toBe('new\n');

  object[at] = (object[at] ?? 0) ^ 1;
  expect(await machine.restore()).toMatchObject(whole);
});

it('reports a missing snapshot', async () => {
  const machine = await newMachine();
  plane.manifest = null;

  expect(await machine.restore()).toMatchObject({
    status: 'missing',
    sessions: [{ hasConversation: false }],
  });
  expect(await machine.session()).toMatchObject({ status: 'running' });
});

it('refuses prompts, resume and suspend during a restore, and continues it after a crash', async () => {
  await captured();
  const machine = await newMachine();
  const refused = { status: 409, body: { error: 'invalid_transition' } };
  const start = { agentType: 'claude-code', initialPrompt: 'early', protocolVersion: 1, deliveryId: ulid() };
  const attempts = async () => {
    for (const path of ['resume', 'suspend', 'resume'])
      expect(await machine.call('POST', `/${sessionId}/${path}`)).toMatchObject(refused);
    expect(await machine.call('POST', `/${sessionId}/start`, start)).toMatchObject({ status: 409 });
    expect(await machine.session()).toMatchObject({ status: 'error' });
  };
  store.hold();
  const { operationId } = await machine.requestRestore();
  await until('the download', async () => store.isHolding || undefined);
  await attempts();
  await machine.agent.kill('SIGKILL');
  store.release();
  await machine.start();

  // The agent continues without another request.
  expect(await until('the result', async () => plane.results(operationId)[0])).toMatchObject(whole);
  expect(machine.harness.journal('prompt').filter(({ text }) => text === 'early')).toEqual([]);
});

it('restores once for two concurrent requests', async () => {
  await captured();
  const machine = await newMachine();
  const operationId = plane.newOperation();
  store.hold();

  const requests = await Promise.all([
    machine.requestRestore(operationId),
    machine.requestRestore(operationId),
  ]);
  store.release();

  for (const request of requests) expect(request).toMatchObject({ status: 202, body: { accepted: true } });
  await until('the result', async () => plane.results(operationId).length > 0 || undefined);
  expect(plane.results(operationId)).toHaveLength(1);
  expect(fake.callsTo(`restore?chatSessionId=${chatSessionId}`).length).toBeGreaterThan(0);
});

it('ends a restore when its workspace stops', async () => {
  await captured();
  const machine = await newMachine();
  store.hold();
  const { operationId } = await machine.requestRestore();
  await until('the download', async () => store.isHolding || undefined);

  expect(await machine.stop()).toMatchObject({ status: 200 });

  store.release();
  expect(plane.results(operationId)).toEqual([]);
  await machine.restart(2);
  expect(await machine.restore()).toMatchObject(whole);
});

describe('a stop after a capture', () => {
  const unchanged = { status: 200, body: { status: 'stopped' } };
  const changed = { status: 409, body: { error: 'changed_since_snapshot' } };

  it('keeps the files for a wake on the same node, which downloads nothing', async () => {
    const { old, acpSessionId } = await captured();
    const operationId = await old.capture();
    expect(await old.stop(operationId)).toMatchObject(unchanged);
    // The reply may have been lost.
    expect(await old.stop(operationId)).toMatchObject(unchanged);
    await old.restart(2);
    store.objects.clear();

    const mcpServers = { [sessionId]: [{ name: 'berth', url: `${fake.url}/mcp`, token: 'new-token' }] };
    expect(await old.restore(undefined, { mcpServers })).toMatchObject({
      ...whole,
      sessions: [{ hasConversation: true }],
    });

    expect(await old.session()).toMatchObject({ status: 'running', hostStatus: 'ready', acpSessionId });
    expect(readFileSync(old.file('work/full/new.txt'), 'utf8')).toBe('new\n');
    expect(existsSync(old.file('home/.svc-asleep'))).toBe(false);
    await old.prompt('which door?');
  });

  it('downloads the files on the same node when its home is lost', async () => {
    const { old } = await captured();
    expect(await old.stop(await old.capture())).toMatchObject(unchanged);
    for (const name of readdirSync(old.file('home'))) rmSync(old.file(`home/${name}`), { recursive: true });
    await old.restart(2);

    expect(await old.restore()).toMatchObject({ ...whole, sessions: [{ hasConversation: true }] });
  });

  it('is refused when anything changed', async () => {
    const { old } = await captured();
    const refusedAfter = async (change: () => unknown) => {
      const operationId = await old.capture();
      await change();
      expect(await old.stop(operationId)).toMatchObject(changed);
    };

    // Of the same size.
    await refusedAfter(() => writeFileSync(old.file('work/full/new.txt'), 'NEW\n'));
    await refusedAfter(() => writeFileSync(old.file('work/full/another.txt'), 'x'));
    const identity = ['-c', 'user.name=Me', '-c', 'user.email=me@example.test'];
    execFileSync('git', ['-C', old.file('work/full'), ...identity, 'commit', '-qam', 'kept']);
    // Git sees no change of these permissions.
    await refusedAfter(() => chmodSync(old.file('work/full/hello.txt'), 0o444));
    await refusedAfter(() => writeFileSync(old.file('home/notes'), 'x'));
    await refusedAfter(() => old.prompt('one more'));
    await refusedAfter(async () => {
      await old.agent.kill('SIGKILL');
      await old.start();
      await old.untilRunning();
    });

    await old.prompt('on', 'start', { agentType: 'claude-code', initialPrompt: 'it goes on' });
    expect(await old.stop('operation-unknown')).toMatchObject(changed);
  });

  it('is refused during a prompt', async () => {
    const { old } = await captured();
    old.harness.closeGate('work');
    await old.call('POST', `/${sessionId}/prompt`, {
      prompt: '[[wait work]]',
      protocolVersion: 1,
      deliveryId: ulid(),
    });
    const operationId = await old.capture();

    expect(await old.stop(operationId)).toMatchObject(changed);
    old.harness.openGate('work');
  });
});

it('lists the terminals with the folders of their shells', async () => {
  const { old } = await captured();
  const folder = old.file('work/full/deep');
  mkdirSync(folder);
  const terminal = await TerminalClient.open(old.agent, await fake.terminal(workspaceId));
  terminal.send({ type: 'create_session', sessionId: 'shell', data: { name: 'shell', rows: 24, cols: 80 } });
  await terminal.waitFor('session_created');
  terminal.type('shell', `cd ${folder} && echo moved-$((1+1))\r`);
  await terminal.waitForText(/moved-2/);

  await old.capture();

  expect(plane.manifest?.terminals).toEqual([{ name: 'shell', workDir: folder }]);
});

it('refuses invalid requests', async () => {
  const { old } = await captured();

  for (const [field, body] of [
    ['chatSessionId', { chatSessionId: '../x' }],
    ['operationId', { operationId: '' }],
  ] as const)
    for (const path of ['hibernate', 'restore'])
      expect(
        await old.call('POST', `/${sessionId}/${path}`, {
          chatSessionId,
          operationId: 'one',
          ...(path === 'restore' ? { agentType: 'claude-code' } : {}),
          ...body,
        }),
      ).toMatchObject({ status: 400, body: { details: [{ field }] } });
  expect(await old.call('POST', '/nobody/hibernate', { chatSessionId, operationId: 'one' })).toMatchObject({
    status: 404,
  });
  expect(await old.stop('../x')).toMatchObject({ status: 400 });
});
