import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BuildKitEngine, hasBuildKitEngine } from '../../support/buildkit-engine.js';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The dev container tool and the agent, with an engine that has BuildKit. */
describe.skipIf(!hasBuildKitEngine())('a repository whose Dockerfile needs BuildKit', () => {
  let engine: BuildKitEngine;
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    engine = await BuildKitEngine.start();
    fake = await FakeControlPlane.start();
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: engine.image,
      DEVCONTAINER_BUILDX_PATH: BuildKitEngine.buildx,
      DOCKER_HOST: `unix://${engine.socket}`,
      WORKSPACE_NETWORK: 'none',
      WORKSPACE_BUILD_QUEUE_DEPTH: '2',
    });
    await agent.start();
    await vi.waitFor(() => expect(fake.callsTo('heartbeat')).not.toEqual([]), 60_000);
  });

  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  async function outcomeOf(name: string, dockerfile: string) {
    const id = ulid();
    fake.addRepository(name, {
      '.devcontainer/devcontainer.json': JSON.stringify({ build: { dockerfile: 'Dockerfile' } }),
      '.devcontainer/Dockerfile': `FROM ${engine.image}\n${dockerfile}\n`,
    });
    const body = await workspaceRequest(fake, id, {
      repository: `octo/${name}`,
      cloneUrl: fake.cloneUrl(name),
    });
    await agent.call('POST', '/workspaces', await fake.management(id), body);
    await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(1), 60_000);
    const log = JSON.stringify(fake.callsTo(`${id}/boot-log`).map(({ body: { entry } }) => entry));
    return { id, log, status: fake.callsTo(`${id}/ready`).at(-1)?.body.status };
  }

  it('is built with it, and leaves nothing of it with its workspace', async () => {
    const text =
      'RUN --mount=type=cache,target=/c,id=own touch /c/x\nRUN <<EOF\necho "by BuildKit" > /built\nEOF';
    const { id, log, status } = await outcomeOf('built', text);

    expect(status, log).toBe('running');
    expect(engine.run('exec', `svc-ws-${id}`, 'cat', '/built')).toBe('by BuildKit');
    const cache = () => engine.run('system', 'df', '--format', '{{json .BuildCache}}', '-v');
    expect(cache()).toContain(`${id}/own`);
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await vi.waitFor(() => expect(cache()).not.toContain(`${id}/own`), 30_000);
  });

  it('is built after another build that needs BuildKit', async () => {
    const mount = 'RUN --mount=type=cache,target=/c';
    const first = outcomeOf('first', `${mount} sleep 20`);
    const containers = () => engine.run('network', 'inspect', 'bridge', '-f', '{{len .Containers}}');
    await until('the step of the first build', () => containers() !== '0' || undefined);

    const second = await outcomeOf('second', `${mount} true`);

    expect(second.status, second.log).toBe('running');
    expect((await first).status).toBe('running');
  });

  it('runs the default image when a step fails, with the end of the output', async () => {
    const { log, status } = await outcomeOf(
      'failed',
      'RUN --mount=type=cache,target=/c echo "it broke" && false',
    );

    expect(status, log).toBe('recovering');
    expect(log).toContain('it broke');
  });

  it('runs the default image while another container is on the network of its steps', async () => {
    const neighbour = engine.run('run', '-d', '--rm', engine.image, 'sleep', '600');
    const { log, status } = await outcomeOf('shared', 'RUN --mount=type=cache,target=/c true');
    engine.run('rm', '-f', neighbour);

    expect(status, log).toBe('recovering');
    expect(log).toMatch(/RUN --mount needs BuildKit.*BuildKit is off: a container is on the network bridge/);
  });
});
