import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { baseImage, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { SecondEngine } from './second-engine.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 40_000, interval: 50 };
const workspaceId = ulid();
const name = `svc-ws-${workspaceId}`;
const engine = hasDocker() ? await SecondEngine.start() : null;

describe.skipIf(!engine)('a container that ends unexpectedly (needs root and dockerd)', () => {
  let fake: FakeControlPlane;
  let agent: AgentProcess;
  if (!engine) return;

  beforeAll(async () => {
    engine.take(baseImage);
    fake = await FakeControlPlane.start();
    fake.addRepository('own', {
      '.devcontainer.json': JSON.stringify({
        image: baseImage,
        postStartCommand: 'echo started >> starts.txt',
      }),
    });
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DOCKER_HOST: engine.host,
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_NETWORK: 'none',
    });
    await agent.start();
    const settings = { repository: 'octo/own', cloneUrl: fake.cloneUrl('own') };
    const body = await workspaceRequest(fake, workspaceId, settings);
    await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
    await untilReady(1);
  });

  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const untilReady = (count: number) =>
    vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(count), waiting);

  const status = async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return (body.workspaces as { status: string }[])[0]?.status;
  };

  const inside = (script: string) => engine.docker('exec', name, 'sh', '-c', script).text;

  it('is restarted when it was killed, and the control plane gets a report', async () => {
    inside('echo kept > kept.txt');
    engine.docker('kill', name);
    await untilReady(2);

    expect(fake.callsTo(`${workspaceId}/ready`)[1]?.body).toEqual({ generation: 1, status: 'running' });
    expect(inside('cat kept.txt starts.txt')).toBe('kept\nstarted\nstarted');
  });

  it('is created again around the volume when it was removed', async () => {
    engine.docker('rm', '-f', name);
    await untilReady(3);

    expect(inside('cat kept.txt; wc -l < starts.txt')).toBe('kept\n3');
  });

  it('recovers after a restart of the engine', async () => {
    await engine.stop();
    await engine.start();
    await untilReady(4);

    expect(await status()).toBe('running');
    expect(inside('cat kept.txt')).toBe('kept');
  });

  it('recovers after the engine was killed during a rebuild', async () => {
    const path = `/workspaces/${workspaceId}/rebuild`;
    await agent.call('POST', path, await fake.management(workspaceId));
    await engine.stop('SIGKILL');
    await engine.start();
    await untilReady(5);

    expect(await status()).toBe('running');
    expect(inside('cat kept.txt')).toBe('kept');
  });

  it('recovers when the agent finds it ended at its start', async () => {
    await agent.kill('SIGKILL');
    engine.docker('kill', name);
    await agent.start();
    await untilReady(6);

    expect(inside('cat kept.txt')).toBe('kept');
  });

  it('is errored when its files are missing too', async () => {
    await agent.kill('SIGKILL');
    engine.docker('rm', '-f', name);
    engine.docker('volume', 'rm', '-f', name);
    await agent.start();

    await vi.waitFor(
      () =>
        expect(fake.callsTo(`${workspaceId}/provisioning-failed`)[0]?.body).toEqual({
          generation: 1,
          errorMessage: 'The files of the workspace no longer exist',
        }),
      waiting,
    );
    expect(await status()).toBe('errored');
  });
});
