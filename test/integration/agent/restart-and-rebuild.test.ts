import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
const roles = [
  { role: 'standalone', isHere: true },
  { role: 'workspace', isHere: hasDocker() },
];

describe.each(roles)('restart, rebuild, events and tabs as $role', ({ role, isHere }) => {
  const workspaceId = ulid();
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    if (!isHere) return;
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, {
      NODE_ROLE: role,
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
    });
    await agent.start();
    const body = await workspaceRequest(fake, workspaceId);
    await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
    await untilRunning();
  });

  afterAll(async () => {
    if (!isHere) return;
    await agent.call('DELETE', `/workspaces/${workspaceId}`, await fake.management(workspaceId));
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const about = async (method: string, what: string, body?: unknown) =>
    agent.call(method, `/workspaces/${workspaceId}/${what}`, await fake.management(workspaceId), body);

  const untilRunning = () =>
    vi.waitFor(async () => {
      const { body } = await agent.call('GET', '/workspaces', await fake.management());
      expect(body.workspaces).toMatchObject([{ workspaceId, status: 'running' }]);
    }, waiting);

  const inShell = async (sessionId: string, line: string, pattern: RegExp, generation = 1) => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId, generation));
    client.send({ type: 'create_session', sessionId, data: { rows: 30, cols: 100, name: sessionId } });
    await client.waitFor('session_created');
    client.type(sessionId, `${line}\n`);
    const found = await client.waitForText(pattern);
    client.socket.close();
    return found;
  };

  const tabs = async () => (await about('GET', 'tabs')).body.tabs;

  it.skipIf(!isHere)(
    'lists the tabs of a person, also after the agent was killed, until they are closed',
    async () => {
      await inShell('one', 'echo kept > kept.txt; echo DO"NE"', /DONE/);
      await inShell('two', 'echo DO"NE"', /DONE/);
      expect(await tabs()).toMatchObject([
        { id: 'one', workspaceId, type: 'terminal', label: 'one', sortOrder: 0 },
        { id: 'two', label: 'two', sortOrder: 1 },
      ]);
      const path = `/workspaces/${workspaceId}/tabs`;
      const ofAnother = await agent.call('GET', path, await fake.terminal(workspaceId, 1, ulid()));
      expect(ofAnother).toMatchObject({ status: 200, body: { tabs: [] } });

      await agent.kill('SIGKILL');
      await agent.start();
      await untilRunning();
      expect(await tabs()).toMatchObject([{ id: 'one' }, { id: 'two' }]);
      const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
      client.send({ type: 'close_session', sessionId: 'two' });
      await client.waitFor('error');
      client.socket.close();
      expect(await tabs()).toMatchObject([{ id: 'one' }]);
    },
  );

  it.skipIf(!isHere)('restarts only what is stopped, and keeps its files', async () => {
    expect(await about('POST', 'restart')).toMatchObject({
      status: 409,
      body: { error: 'invalid_transition' },
    });
    await about('POST', 'stop');
    expect(await tabs()).toEqual([]);
    expect(await about('POST', 'rebuild')).toMatchObject({ status: 409 });

    expect(await about('POST', 'restart')).toEqual({ status: 202, body: { status: 'creating' } });
    await untilRunning();
    await inShell('three', 'cat kept.txt hello.txt', /kept/);
  });

  it.skipIf(!isHere)('rebuilds as a new generation around the same files', async () => {
    const container = role === 'workspace' ? docker('inspect', '-f', '{{.Id}}', `svc-ws-${workspaceId}`) : '';
    const callbackToken = await fake.workspaceCallback(workspaceId, 2);
    const request = { generation: 2, callbackToken };
    expect(await about('POST', 'rebuild', request)).toEqual({ status: 202, body: { status: 'rebuilding' } });
    await untilRunning();

    await inShell('four', 'cat kept.txt', /kept/, 2);
    expect(await about('POST', 'rebuild', { ...request, generation: 1 })).toMatchObject({
      status: 409,
      body: { error: 'stale_generation' },
    });
    if (role === 'workspace') {
      expect(docker('inspect', '-f', '{{.Id}}', `svc-ws-${workspaceId}`)).not.toBe(container);
      docker('rm', '-f', `svc-ws-${workspaceId}`);
      await about('POST', 'stop');
      await about('POST', 'restart');
      await untilRunning();
      await inShell('five', 'cat kept.txt', /kept/, 2);
    }
  });

  it.skipIf(!isHere)('keeps the files when the agent is killed during a restart', async () => {
    await about('POST', 'stop');
    await about('POST', 'restart');
    await agent.kill('SIGKILL');
    await agent.start();
    await untilRunning();
    await inShell('six', 'cat kept.txt', /kept/, 2);
  });

  it.skipIf(!isHere)('lists events newest first, in pages', async () => {
    const { status, body } = await about('GET', 'events?limit=500');
    expect(status).toBe(200);
    const types = (body.events as { type: string }[]).map(({ type }) => type).reverse();
    expect(types).toEqual(
      expect.arrayContaining(['workspace.created', 'workspace.restarted', 'workspace.rebuilt']),
    );
    expect(types.slice(0, 2)).toEqual(['workspace.provisioning', 'workspace.created']);
    const first = await about('GET', 'events?limit=2');
    expect(first.body.events).toHaveLength(2);
    const second = await about('GET', `events?limit=2&cursor=${first.body.nextCursor}`);
    expect(second.body.events).not.toEqual(first.body.events);
  });

  it.skipIf(!isHere)('refuses unauthorized and invalid requests', async () => {
    const paths = ['events', 'tabs'].map((what) => `/workspaces/${workspaceId}/${what}`);
    for (const path of paths) {
      expect(await agent.call('GET', path, null)).toMatchObject({ status: 401 });
      expect(await agent.call('GET', path, await fake.management())).toMatchObject({ status: 403 });
      expect(await agent.call('GET', path, await fake.management(ulid()))).toMatchObject({ status: 403 });
      expect(await agent.call('GET', path, await fake.terminal(ulid()))).toMatchObject({ status: 403 });
      expect(await agent.call('GET', path, await fake.terminal(workspaceId, 9))).toMatchObject({
        status: 403,
      });
      const token = await fake.terminal(workspaceId, 2);
      expect(await agent.call('GET', `${path}?token=${token}`, null)).toMatchObject({ status: 200 });
    }
    for (const what of ['restart', 'rebuild']) {
      const path = `/workspaces/${workspaceId}/${what}`;
      expect(await agent.call('POST', path, await fake.management())).toMatchObject({ status: 403 });
      expect(await agent.call('POST', path, await fake.terminal(workspaceId, 2))).toMatchObject({
        status: 401,
      });
      expect(await about('POST', what, { generation: 3 })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'generation' }] },
      });
    }
    expect(await about('GET', 'events?limit=0')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'limit' }] },
    });
    const other = ulid();
    expect(
      await agent.call('POST', `/workspaces/${other}/restart`, await fake.management(other)),
    ).toMatchObject({ status: 404 });
  });
});
