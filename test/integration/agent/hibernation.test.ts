import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { SnapshotManifest } from '../../../protocol/snapshots.js';
import { AcpHarness } from '../../support/acp-harness/acp-harness.js';
import { until } from '../../support/until.js';
import { ObjectStore } from '../snapshots/object-store.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const workspaceId = ulid();
const sessionId = 'chat-agent';
const chatSessionId = 'chat-1';

let fake: FakeControlPlane;
let store: ObjectStore;
const machines: Machine[] = [];

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  store = await ObjectStore.start();
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
    return this.agent.start({ ACP_COMMAND_OVERRIDES: overrides });
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

  async hibernate(more: object = {}) {
    const url = store.url('snapshot');
    return this.call('POST', `/${sessionId}/hibernate`, {
      chatSessionId,
      uploadUrl: url,
      verifyUrl: url,
      ...more,
    });
  }

  async restore(manifest: SnapshotManifest, more: object = {}) {
    const body = {
      chatSessionId,
      agentType: 'claude-code',
      downloadUrl: store.url('snapshot'),
      manifest,
      ...more,
    };
    return this.call('POST', `/${sessionId}/restore`, body);
  }
}

async function hibernated() {
  const old = await Machine.boot();
  await old.work();
  const acpSessionId = (await old.session())?.acpSessionId;
  const { status, body } = await old.hibernate();
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { status: 'available', degradation: 'none', verified: true },
  });
  return { old, acpSessionId, manifest: body.manifest as SnapshotManifest };
}

async function newMachine(chat: object = { chatSessionId, projectId: 'project-1' }) {
  const machine = await Machine.boot();
  expect(await machine.call('POST', '', { sessionId, ...chat })).toMatchObject({ status: 201 });
  return machine;
}

it('continues a session on another node: work, home and ACP session', async () => {
  const { old, acpSessionId, manifest } = await hibernated();
  await old.agent[Symbol.asyncDispose]();
  rmSync(old.agent.folder, { recursive: true });
  expect(manifest).toMatchObject({
    acpSessionId,
    agentType: 'claude-code',
    isPrompting: false,
    settings: { model: 'large' },
  });
  expect(manifest.lastSequence).toBeGreaterThanOrEqual(4);

  const machine = await newMachine();
  const restored = await machine.restore(manifest);

  expect(restored).toEqual({ status: 200, body: { status: 'restored', degradation: 'none', missing: [] } });
  expect(await machine.session()).toMatchObject({ status: 'running', hostStatus: 'ready', acpSessionId });
  expect(readFileSync(machine.file('work/full/hello.txt'), 'utf8')).toMatch(/changed\n$/);
  expect(readFileSync(machine.file('work/full/new.txt'), 'utf8')).toBe('new\n');
  await machine.prompt('which door?');
  const said = readFileSync(machine.file(`home/.claude/sessions/${acpSessionId}.jsonl`), 'utf8');
  expect(said.indexOf('blue door')).toBeLessThan(said.indexOf('which door'));

  // The same snapshot again touches nothing; another one is refused.
  writeFileSync(machine.file('work/full/new.txt'), 'newer\n');
  expect(await machine.restore(manifest)).toEqual(restored);
  expect(readFileSync(machine.file('work/full/new.txt'), 'utf8')).toBe('newer\n');
  const { body } = await machine.hibernate();
  expect(await machine.restore(body.manifest as SnapshotManifest)).toMatchObject({
    status: 409,
    body: { error: 'session_conflict' },
  });
});

it('hibernates without changing the session, and reports a prompt in flight', async () => {
  const { old } = await hibernated();
  old.harness.closeGate('work');
  const delivery = { protocolVersion: 1, deliveryId: ulid() };
  await old.call('POST', `/${sessionId}/prompt`, { prompt: '[[wait work]]', ...delivery });

  const { body } = await old.hibernate();

  expect(body.manifest).toMatchObject({ isPrompting: true });
  expect(await old.session()).toMatchObject({ status: 'running', hostStatus: 'prompting' });
  old.harness.openGate('work');
  await until('the end', async () => (await old.session())?.hostStatus === 'ready' || undefined);
});

it('reports a restore without the ACP session as degraded', async () => {
  const { manifest } = await hibernated();
  const machine = await newMachine();
  machine.harness.behave({ liesOnLoad: true });
  // Whatever comes back, this harness cannot show that it had the session.
  const lost = { ...manifest, acpSessionId: 'another-session' };

  const restored = await machine.restore(lost);

  expect(restored).toMatchObject({
    status: 200,
    body: { status: 'degraded', degradation: 'agent-context-skipped', missing: [{ part: 'agent' }] },
  });
  expect(await machine.session()).toMatchObject({
    status: 'running',
    hostStatus: 'idle',
    acpSessionId: null,
  });
  expect(readFileSync(machine.file('work/full/new.txt'), 'utf8')).toBe('new\n');
});

it('restores only into an unused session of the same chat', async () => {
  const { old, manifest } = await hibernated();
  const other = await newMachine({ chatSessionId: 'chat-2', projectId: 'project-1' });

  expect(await old.restore(manifest)).toMatchObject({ status: 409, body: { error: 'session_conflict' } });
  expect(await other.restore(manifest)).toMatchObject({ status: 409, body: { error: 'session_conflict' } });
  expect(existsSync(other.file('work/full/new.txt'))).toBe(false);
});

it('leaves the session unchanged when the snapshot cannot be read, and can be repeated', async () => {
  const { manifest } = await hibernated();
  const machine = await newMachine();
  const object = store.object('snapshot');
  const at = object.length >> 1;
  object[at] = (object[at] ?? 0) ^ 1;

  expect(await machine.restore(manifest)).toMatchObject({ status: 502, body: { error: 'snapshot_failed' } });
  expect(await machine.session()).toMatchObject({
    status: 'running',
    hostStatus: 'idle',
    acpSessionId: null,
  });

  object[at] = (object[at] ?? 0) ^ 1;
  expect(await machine.restore(manifest)).toMatchObject({ status: 200, body: { status: 'restored' } });
});

it('lets neither resume nor suspend end a running or interrupted restore', async () => {
  const { manifest } = await hibernated();
  const machine = await newMachine();
  const refused = { status: 409, body: { error: 'invalid_transition' } };
  const attempts = async () => {
    for (const path of ['resume', 'suspend', 'resume'])
      expect(await machine.call('POST', `/${sessionId}/${path}`)).toMatchObject(refused);
    expect(await machine.session()).toMatchObject({ status: 'error' });
  };
  store.hold();
  const interrupted = machine.restore(manifest).catch(() => null);
  await until('the download', async () => store.isHolding || undefined);
  await attempts();
  await machine.agent.kill('SIGKILL');
  await interrupted;
  store.release();
  await machine.start();
  await machine.untilRunning();

  await attempts();
  expect(await machine.call('POST', `/${sessionId}/stop`)).toMatchObject({ body: { status: 'stopped' } });
});

it('repeats an interrupted restore, and refuses prompts until then', async () => {
  const { manifest } = await hibernated();
  const machine = await newMachine();
  store.hold();
  const interrupted = machine.restore(manifest).catch(() => null);
  await until('the download', async () => store.isHolding || undefined);
  const start = { agentType: 'claude-code', initialPrompt: 'early', protocolVersion: 1, deliveryId: ulid() };
  expect(await machine.call('POST', `/${sessionId}/start`, start)).toMatchObject({
    status: 409,
    body: { status: 'not_ready' },
  });
  await machine.agent.kill('SIGKILL');
  await interrupted;
  store.release();
  await machine.start();
  await machine.untilRunning();

  expect(await machine.session()).toMatchObject({ status: 'error' });
  expect(await machine.call('POST', `/${sessionId}/start`, start)).toMatchObject({ status: 409 });
  expect(await machine.restore(manifest)).toMatchObject({ status: 200, body: { status: 'restored' } });
  expect(machine.harness.journal('prompt').filter(({ text }) => text === 'early')).toEqual([]);
});

it('restores once for two concurrent requests', async () => {
  const { manifest } = await hibernated();
  const machine = await newMachine();

  const [one, two] = await Promise.all([machine.restore(manifest), machine.restore(manifest)]);

  expect(one).toMatchObject({ status: 200, body: { status: 'restored' } });
  expect(two).toEqual(one);
});

it('refuses invalid requests', async () => {
  const { old, manifest } = await hibernated();

  for (const [field, body] of [
    ['uploadUrl', { uploadUrl: 'http://example.com/x' }],
    ['uploadUrl', { uploadUrl: 'file:///etc/passwd' }],
    ['verifyUrl', { verifyUrl: 'https://user:pass@example.com/x' }],
    ['chatSessionId', { chatSessionId: '../x' }],
    ['limits.entries', { limits: { entries: 0 } }],
  ] as const)
    expect(await old.hibernate(body)).toMatchObject({ status: 400, body: { details: [{ field }] } });
  expect(await old.restore({ ...manifest, version: 2 } as never)).toMatchObject({ status: 400 });
  expect(
    await old.call('POST', '/nobody/hibernate', { chatSessionId, uploadUrl: store.url('x') }),
  ).toMatchObject({
    status: 404,
  });
});
