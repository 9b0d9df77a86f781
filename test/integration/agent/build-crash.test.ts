import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { limitMs } from '../../support/limit-ms.js';
import { Registry } from '../../support/registry.js';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

/** Build time depends on the load of the machine. */
const waiting = { timeout: 120_000, interval: 50 };
vi.setConfig({ testTimeout: limitMs(300_000) });
/** Other processes on this machine may run slow builds too. */
const slowStep = `sleep 600.${process.pid}${Date.now()}`;
/** A small image to push to a registry. */
const smallImage = `berth-small:${process.pid}`;
const smallDockerfile = `FROM ${baseImage} AS all
RUN programs='/bin/sh /bin/cat /bin/chown /bin/date /bin/grep /bin/rm /bin/sleep /bin/tr' && mkdir /small && \\
  cp -L --parents /etc/passwd /etc/group $programs $(ldd $programs | grep -o '/[^ :]*' | sort -u) /small
FROM scratch
COPY --from=all /small /
`;
/** Processes of a build: the dev container tool and its docker commands. */
const buildProcesses = (id: string) =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(`SVC_BUILD=${id}`));

describe.skipIf(!hasDocker())('builds that are cut off, wait, or use a cache (with a Docker engine)', () => {
  const ids: string[] = [];
  let fake: FakeControlPlane;
  let agent: AgentProcess;
  let registry: Registry;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    registry = await Registry.start();
    spawnSync('docker', ['build', '-q', '-t', smallImage, '-'], { input: smallDockerfile });
    fake.addRepository('quick', {
      '.devcontainer/devcontainer.json': '{ "build": { "dockerfile": "Dockerfile" } }',
      '.devcontainer/Dockerfile': `FROM ${smallImage}\nRUN date +%N > /made\n`,
    });
    fake.addRepository('slow', {
      '.devcontainer/devcontainer.json': '{ "build": { "dockerfile": "Dockerfile" } }',
      '.devcontainer/Dockerfile': `FROM ${baseImage}\nRUN ${slowStep}\n`,
    });
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_NETWORK: 'none',
      // Long enough for a successful push.
      DEVCONTAINER_CACHE_PUSH_TIMEOUT: '20s',
    });
    await agent.start();
  });

  // A failed test must not leave a build that takes a slot from the next test.
  afterEach(async () => {
    for (const id of ids.splice(0)) await about(id, 'DELETE').catch(() => undefined);
    await vi.waitFor(() => expect(runningBuilds()).toEqual([]), waiting);
  });

  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
    docker('rmi', smallImage);
  });

  const about = async (id: string, method: string, what = '') =>
    agent.call(method, `/workspaces/${id}${what}`, await fake.management(id));

  const create = async (name: string, overrides: object = {}) => {
    const id = ulid();
    ids.push(id);
    const settings = { repository: `octo/${name}`, cloneUrl: fake.cloneUrl(name), ...overrides };
    const body = await workspaceRequest(fake, id, settings);
    expect(await agent.call('POST', '/workspaces', await fake.management(id), body)).toMatchObject({
      status: 202,
    });
    return id;
  };

  const logged = (id: string) =>
    fake
      .callsTo(`${id}/boot-log`)
      .map(({ body }) => body.entry as { step: string; status: string; detail?: string });

  const untilLogged = (id: string, step: string, status: string) =>
    vi.waitFor(() => expect(logged(id)).toContainEqual(expect.objectContaining({ step, status })), waiting);

  const untilReady = (id: string) =>
    vi.waitFor(
      () =>
        expect(
          fake.callsTo(`${id}/ready`)[0]?.body,
          JSON.stringify(logged(id).filter(({ status }) => status === 'failed')),
        ).toMatchObject({ status: 'running' }),
      waiting,
    );

  const untilBuilding = () => vi.waitFor(() => expect(runningBuilds().length).toBeGreaterThan(0), waiting);

  const nothingIsLeft = (id: string) => {
    expect(buildProcesses(id)).toEqual([]);
    expect(runningBuilds()).toEqual([]);
    expect(docker('ps', '-aq', '-f', `label=svc.workspace=${id}`)).toBe('');
    expect(docker('volume', 'ls', '-q', '-f', `label=svc.workspace=${id}`)).toBe('');
    expect(docker('images', '-q', '-f', `label=svc.workspace=${id}`)).toBe('');
    expect(readdirSync(join(agent.folder, 'state', 'clones'))).not.toContain(id);
    expect(readdirSync(join(agent.folder, 'state', 'builds'))).not.toContain(id);
  };

  it('a workspace that is deleted during its build leaves nothing behind', async () => {
    const id = await create('slow');
    await untilBuilding();

    expect(await about(id, 'DELETE')).toMatchObject({ status: 200 });

    await vi.waitFor(() => nothingIsLeft(id), waiting);
  });

  it('a workspace whose agent is killed is built again, after the first build was ended', async () => {
    const id = await create('slow');
    await untilBuilding();
    const first = buildProcesses(id);
    await agent.kill('SIGKILL');
    await agent.start();
    await vi.waitFor(() => {
      const now = buildProcesses(id);
      expect(now.length).toBeGreaterThan(0);
      expect(now.filter((pid) => first.includes(pid))).toEqual([]);
    }, waiting);

    expect(await about(id, 'DELETE')).toMatchObject({ status: 200 });
    await vi.waitFor(() => nothingIsLeft(id), waiting);
  });

  it('a workspace whose agent is killed during the deletion is deleted by the next agent', async () => {
    const id = await create('quick');
    await untilReady(id);
    const path = `/workspaces/${id}`;
    const deletion = agent.call('DELETE', path, await fake.management(id)).catch(() => undefined);
    await agent.kill('SIGKILL');
    await deletion;
    await agent.start();
    await about(id, 'DELETE');

    await vi.waitFor(() => nothingIsLeft(id), waiting);
  });

  it('waits for a build slot as `creating`, and reports progress', async () => {
    const slow = await create('slow');
    await untilBuilding();
    const quick = await create('quick');

    await vi.waitFor(() => {
      const metrics = fake.callsTo('heartbeat').at(-1)?.body.metrics;
      expect(metrics).toMatchObject({ creatingWorkspaces: 2 });
    }, waiting);
    expect(logged(quick)).toEqual([]);
    expect(await about(slow, 'POST', '/stop')).toMatchObject({ status: 200 });
    await untilReady(quick);
  });

  it('is pushed to its cache, and the next build starts from there', async () => {
    const devcontainerCache = {
      ref: `${registry.address}/octo/quick:cache`,
      username: 'octo',
      password: 'cache-password',
    };
    const first = await create('quick', { devcontainerCache });
    await untilReady(first);
    await vi.waitFor(() => expect(registry.manifests.has('octo/quick:cache')).toBe(true), waiting);
    const made = docker('exec', `svc-ws-${first}`, 'cat', '/made');
    expect(docker('inspect', `svc-ws-${first}`)).not.toContain('cache-password');
    await about(first, 'DELETE');
    await vi.waitFor(() => nothingIsLeft(first), waiting);

    const second = await create('quick', { devcontainerCache });
    await untilReady(second);

    expect(logged(second).filter(({ step }) => step === 'devcontainer_cache')[1]).toMatchObject({
      status: 'completed',
    });
    expect(docker('exec', `svc-ws-${second}`, 'cat', '/made')).toBe(made);
    expect(agent.output).not.toContain('cache-password');
  });

  it('is ready although its cache does not answer, and the boot log says so', async () => {
    registry.isStalled = true;
    const id = await create('quick', { devcontainerCache: { ref: `${registry.address}/octo/stalled:1` } });
    await untilReady(id);

    await untilLogged(id, 'devcontainer_cache', 'failed');
  });
});

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Builder containers that run a step of this test's slow build. */
function runningBuilds(): string[] {
  return docker('ps', '-q', '--no-trunc', '-f', 'status=running')
    .split('\n')
    .filter(Boolean)
    .filter((container) => docker('inspect', '-f', '{{json .Config.Cmd}}', container).includes(slowStep));
}
