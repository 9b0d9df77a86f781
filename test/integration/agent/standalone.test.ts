import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const workspaceId = ulid();
const emptyId = ulid();
const unknownId = ulid();
const waiting = { timeout: 15_000, interval: 20 };

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

async function create(id: string, overrides: object = {}) {
  const body = await workspaceRequest(fake, id, overrides);
  return agent.call('POST', '/workspaces', await fake.management(id), body);
}

async function statusOf(id: string) {
  const { body } = await agent.call('GET', '/workspaces', await fake.management());
  const list = body.workspaces as { workspaceId: string; status: string; errorMessage: string | null }[];
  return list.find((workspace) => workspace.workspaceId === id);
}

async function untilRunning(id: string) {
  await vi.waitFor(async () => expect(await statusOf(id)).toMatchObject({ status: 'running' }), waiting);
}

describe('boot', () => {
  it('redeems its token, stores the callback token owner-only, reports ready and sends heartbeats', async () => {
    await vi.waitFor(() => expect(fake.callsTo('heartbeat').length).toBeGreaterThan(0), waiting);

    const [redeemed] = fake.callsTo('/api/bootstrap');
    expect(redeemed?.body).toMatchObject({ nodeId, redemptionId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(statSync(agent.tokenFile).mode & 0o777).toBe(0o600);
    const [ready] = fake.callsTo(`/api/nodes/${nodeId}/ready`);
    expect(ready?.body).toMatchObject({
      role: 'standalone',
      port: agent.port,
      certificatePem: agent.certificate(),
    });
    expect(ready?.authorization).toBe(`Bearer ${readFileSync(agent.tokenFile, 'utf8').trim()}`);
    expect(fake.callsTo('heartbeat')[0]?.body).toMatchObject({
      activeWorkspaces: 0,
      metrics: { version: 1, memoryPercent: expect.any(Number) },
    });
  });

  it('answers health to anybody, and nothing more', async () => {
    expect(await agent.call('GET', '/health', null)).toEqual({ status: 200, body: { status: 'healthy' } });
  });

  it('adopts a refreshed token', async () => {
    const refreshedToken = await fake.sign({ aud: 'node-callback', sub: nodeId, renewed: true }, '24h');
    const answer = { status: 'running', lastHeartbeatAt: '', healthStatus: 'healthy', refreshedToken };
    fake.next.set('heartbeat', [{ status: 200, body: answer }]);

    await vi.waitFor(
      () => expect(fake.callsTo('heartbeat').at(-1)?.authorization).toBe(`Bearer ${refreshedToken}`),
      waiting,
    );
    expect(readFileSync(agent.tokenFile, 'utf8').trim()).toBe(refreshedToken);
  });

  it('uses a refreshed token that it cannot store, as on a full disk', async () => {
    // A folder that is not empty cannot be replaced.
    rmSync(agent.tokenFile);
    mkdirSync(join(agent.tokenFile, 'in the way'), { recursive: true });
    const refreshedToken = await fake.sign({ aud: 'node-callback', sub: nodeId, renewed: 'again' }, '24h');
    const answer = { status: 'running', lastHeartbeatAt: '', healthStatus: 'healthy', refreshedToken };
    fake.next.set('heartbeat', [{ status: 200, body: answer }]);

    await vi.waitFor(
      () => expect(fake.callsTo('heartbeat').at(-1)?.authorization).toBe(`Bearer ${refreshedToken}`),
      waiting,
    );
    expect(agent.output).toContain('The new callback token could not be stored');
    rmSync(agent.tokenFile, { recursive: true });
  });
});

describe('requests that are refused', () => {
  it('addresses that cannot be decoded', async () => {
    expect(await agent.call('GET', '/workspaces/%zz', null)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('no token, and routes that are not there', async () => {
    expect(await agent.call('GET', '/workspaces', null)).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    });
    expect(await agent.call('GET', '/nothing', null)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
  });

  it('a token of another scope, workspace, kind or time', async () => {
    const of = (token: string) => agent.call('POST', `/workspaces/${workspaceId}/stop`, token);

    expect(await of(await fake.management())).toMatchObject({ status: 403 });
    expect(await of(await fake.management(unknownId))).toMatchObject({ status: 403 });
    expect(await of(await fake.terminal(workspaceId))).toMatchObject({ status: 401 });
    expect(await of(await fake.workspaceCallback(workspaceId))).toMatchObject({ status: 401 });
    expect(await agent.call('GET', '/workspaces', await fake.management(workspaceId))).toMatchObject({
      status: 403,
    });
  });

  it('bodies that are malformed, wrong, foreign or too large', async () => {
    const token = await fake.management(workspaceId);
    const post = (body: unknown) => agent.call('POST', '/workspaces', token, body);

    expect(await post('{')).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await post({ workspaceId })).toMatchObject({ status: 400 });
    expect(await post({ ...(await workspaceRequest(fake, workspaceId)), extra: 1 })).toMatchObject({
      status: 400,
    });
    expect(await post(await workspaceRequest(fake, unknownId))).toMatchObject({ status: 403 });
    expect(await post('x'.repeat(300_000))).toMatchObject({ status: 413 });
  });
});

describe('a workspace', () => {
  it('is provisioned in the background, with its steps and result reported', async () => {
    expect(await create(workspaceId)).toMatchObject({ status: 202, body: { status: 'creating' } });
    await untilRunning(workspaceId);

    await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
    expect(fake.callsTo(`${workspaceId}/ready`)[0]?.body).toEqual({ generation: 1, status: 'running' });
    await vi.waitFor(() => expect(steps(workspaceId)).toContain('workspace_ready completed'), waiting);
    expect(steps(workspaceId)).toEqual([
      'workspace_directory started',
      'workspace_directory completed',
      'git_clone started',
      'git_clone completed',
      'workspace_ready completed',
    ]);
  });

  it('is returned for an equal create, and a conflict for a different one', async () => {
    expect(await create(workspaceId)).toMatchObject({ status: 200, body: { status: 'running' } });
    expect(await create(workspaceId, { branch: 'dev' })).toMatchObject({
      status: 409,
      body: { error: 'workspace_conflict' },
    });
  });

  it('leaves no token of the code host on the disk', async () => {
    const config = join(agent.folder, 'workspaces', workspaceId, 'work', 'full', '.git', 'config');

    expect(readFileSync(config, 'utf8')).not.toContain(fake.gitToken);
    expect(readFileSync(config, 'utf8')).toContain(fake.cloneUrl('full'));
  });

  it('starts empty from a repository without commits', async () => {
    await create(emptyId, { repository: 'octo/empty', cloneUrl: fake.cloneUrl('empty') });
    await untilRunning(emptyId);

    const head = join(agent.folder, 'workspaces', emptyId, 'work', 'empty', '.git', 'HEAD');
    expect(readFileSync(head, 'utf8').trim()).toBe('ref: refs/heads/main');
  });

  it('reports why provisioning failed', async () => {
    const id = ulid();
    const branches = { branch: 'no-such-branch', baseBranch: 'no-base' };
    await create(id, branches);

    await vi.waitFor(() => expect(fake.callsTo(`${id}/provisioning-failed`)).toHaveLength(1), waiting);
    expect(fake.callsTo(`${id}/provisioning-failed`)[0]?.body).toMatchObject({
      generation: 1,
      errorMessage: 'Clone failed: The repository has no branch "no-such-branch" and no branch "no-base"',
    });
    expect(await create(id, branches)).toMatchObject({
      status: 409,
      body: { error: 'workspace_not_creatable' },
    });
  });
});

describe('its terminal', () => {
  it('is a login shell in the repository, with an environment of its own', async () => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'one', data: { rows: 30, cols: 100 } });
    await client.waitFor('session_created');

    client.type('one', 'cat hello.txt; stty size; git config user.name; env | sort; echo DO"NE"\n');
    await client.waitForText(/DONE/);

    expect(client.text).toContain('hello from the repository');
    expect(client.text).toContain('30 100');
    expect(client.text).toContain('Octo Cat');
    expect(client.text).not.toMatch(/BOOTSTRAP|CALLBACK|CONTROL_PLANE|eyJ/);
    client.send({ type: 'close_session', sessionId: 'one' });
    expect(await client.waitFor('session_closed')).toMatchObject({ data: { reason: 'user_requested' } });
    client.socket.close();
  });

  it('reports its workspace as used in the heartbeat after an input, and not in later ones', async () => {
    const used = () =>
      fake.callsTo('heartbeat').map(({ body }) => (body as { usedWorkspaces?: string[] }).usedWorkspaces);
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'used' });
    await client.waitFor('session_created');
    await vi.waitFor(() => expect(used().at(-1)).toBeUndefined(), waiting);

    client.type('used', 'true\n');

    await vi.waitFor(() => expect(used()).toContainEqual([workspaceId]), waiting);
    await vi.waitFor(() => expect(used().at(-1)).toBeUndefined(), waiting);
    client.send({ type: 'close_session', sessionId: 'used' });
    client.socket.close();
  });

  it('continues after a dropped socket without losing or repeating a byte', async () => {
    const first = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    first.send({ type: 'create_session', sessionId: 'two' });
    await first.waitFor('session_created');
    first.type('two', 'stty -echo; for i in $(seq 1 200000); do echo "line $i"; done; echo EN"D"\n');
    await first.waitForText(/line 5000\r/);
    const { offset } = first;
    first.socket.terminate();

    const second = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    second.send({ type: 'reattach_session', sessionId: 'two', data: { offset } });
    expect(await second.waitFor('session_reattached')).toMatchObject({ data: { offset, lost: 0 } });
    await second.waitForText(/END/, 40_000);

    expect(first.gaps + second.gaps).toBe(0);
    const lines = [...(first.text + second.text).matchAll(/^line (\d+)\r$/gm)].map(([, n]) => Number(n));
    expect(lines).toHaveLength(200_000);
    expect(lines.every((n, index) => n === index + 1)).toBe(true);
    second.socket.close();
  });

  it('pauses the shell for a viewer that neither acknowledges nor reads, then sends everything', async () => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.isAcknowledging = false;
    client.send({ type: 'create_session', sessionId: 'slow' });
    await client.waitFor('session_created');
    client.type(
      'slow',
      'stty -echo -onlcr; PS1=; clear; yes 0123456 | head -c 40000000 | tee done.txt; echo EN"D"\n',
    );
    await client.waitForText(/0123456/);
    client.socket.pause();
    const file = join(agent.folder, 'workspaces', workspaceId, 'work', 'full', 'done.txt');
    let size = -1;
    await vi.waitFor(
      () => {
        const before = size;
        size = statSync(file).size;
        expect(size).toBe(before);
      },
      { timeout: 15_000, interval: 300 },
    );

    expect(size).toBeLessThan(40_000_000);
    client.socket.resume();
    await client.waitForText(/END/, 40_000);

    expect(client.gaps).toBe(0);
    expect(client.text.match(/0123456\n/g)).toHaveLength(5_000_000);
    client.socket.close();
  });

  it('accepts input before its session is open', async () => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'hasty' });
    client.type('hasty', 'echo TYPED"-"EARLY\n');

    await client.waitForText(/TYPED-EARLY/);
    expect(client.messages.map(({ type }) => type)).not.toContain('error');
    client.socket.close();
  });

  it('pushes with a token that git asks the agent for', async () => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'push' });
    await client.waitFor('session_created');

    client.type(
      'push',
      'git commit -q --allow-empty -m x && git push -q && echo PUSH"ED" || echo FAIL"ED"\n',
    );

    await client.waitForText(/PUSHED|FAILED/);
    expect(client.text).toContain('PUSHED');
    client.socket.close();
  });

  it('reports the exit code of a shell, and separates persons', async () => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'three' });
    await client.waitFor('session_created');
    client.type('three', 'exit 7\n');
    expect(await client.waitFor('session_closed')).toMatchObject({
      data: { reason: 'process_exit', exitCode: 7 },
    });

    const stranger = await TerminalClient.open(agent, await fake.terminal(workspaceId, 1, unknownId));
    stranger.send({ type: 'reattach_session', sessionId: 'three' });
    expect(await stranger.waitFor('error')).toMatchObject({ data: { error: 'session not found' } });
    client.socket.close();
    stranger.socket.close();
  });

  it('disconnects a client that sends a message above the size limit', async () => {
    const large = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    large.type('one', 'x'.repeat(70_000));
    await vi.waitFor(() => expect(large.closed?.code).toBe(1009));
  });

  it('refuses tokens of other workspaces, generations and kinds', async () => {
    const open = async (token: string) => TerminalClient.open(agent, token);

    await expect(open(await fake.terminal(unknownId))).rejects.toThrow('404');
    await expect(open(await fake.terminal(workspaceId, 2))).rejects.toThrow('403');
    await expect(open(await fake.management(workspaceId))).rejects.toThrow('401');
  });
});

describe('stop and delete', () => {
  it('ends every process of the workspace, also one that left its terminal', async () => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId: 'bg' });
    await client.waitFor('session_created');
    client.type('bg', 'nohup setsid sleep 4242 >/dev/null 2>&1 & echo PID"="$!\n');
    await client.waitForText(/PID=\d+/);
    await vi.waitFor(() => expect(sleepers(workspaceId)).toBe(1), waiting);

    const token = await fake.management(workspaceId);
    const answer = await agent.call('POST', `/workspaces/${workspaceId}/stop`, token);

    expect(answer).toEqual({ status: 200, body: { status: 'stopped' } });
    expect(sleepers(workspaceId)).toBe(0);
    expect(await statusOf(workspaceId)).toMatchObject({ status: 'stopped' });
    expect(await create(workspaceId)).toMatchObject({
      status: 409,
      body: { error: 'workspace_not_creatable' },
    });
  });

  it('provisions a newer generation from nothing, and refuses older ones', async () => {
    const callbackToken = await fake.workspaceCallback(workspaceId, 2);
    expect(await create(workspaceId, { generation: 2, callbackToken })).toMatchObject({ status: 202 });
    await untilRunning(workspaceId);

    expect(await create(workspaceId)).toMatchObject({ status: 409, body: { error: 'stale_generation' } });
  });

  it('removes everything but processes of the same workspace on another node of this machine', async () => {
    const token = await fake.management(workspaceId);
    const remove = () => agent.call('DELETE', `/workspaces/${workspaceId}`, token);
    const folder = `/another-node/${workspaceId}`;
    const marks = {
      ...{ SVC_WORKSPACE_ID: workspaceId, SVC_WORKSPACE_FOLDER: folder },
      ...{ SVC_CLONE: folder, SVC_HARNESS: `${folder}/session/run` },
    };
    const process = spawn('sleep', ['300'], { env: marks });

    expect(await remove()).toEqual({ status: 200, body: { success: true } });
    expect(process).toMatchObject({ exitCode: null, signalCode: null });
    process.kill();
    expect(await remove()).toEqual({ status: 200, body: { success: true } });
    expect(existsSync(join(agent.folder, 'workspaces', workspaceId))).toBe(false);
    expect(await statusOf(workspaceId)).toBeUndefined();
    expect(await create(workspaceId, { generation: 2 })).toMatchObject({
      status: 409,
      body: { error: 'stale_generation' },
    });
  });
});

function steps(id: string): string[] {
  return fake.callsTo(`${id}/boot-log`).map(({ body }) => {
    const entry = body.entry as { step: string; status: string };
    return `${entry.step} ${entry.status}`;
  });
}

/** Processes `sleep 4242` with the workspace's marker. */
function sleepers(id: string): number {
  const pids = execPgrep();
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(id);
    } catch {
      return false;
    }
  }).length;
}

function execPgrep(): string[] {
  const { stdout } = spawnSync('pgrep', ['-f', '^sleep 4242$'], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean);
}
