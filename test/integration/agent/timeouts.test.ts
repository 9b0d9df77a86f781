import { ulid } from 'ulid';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { baseImage, engineGateway, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { SilentCodeHost } from './silent-code-host.js';
import { workspaceRequest } from './workspace-request.js';

const load = /Load \d+\.\d on \d+ processors, [\d.]+ % of memory and [\d.]+ % of the disk used/;
let open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const one of open.toReversed()) await one[Symbol.asyncDispose]();
  open = [];
});

async function nodeWith(environment: Readonly<Record<string, string>>, address?: string) {
  const fake = await FakeControlPlane.start(address);
  const agent = new AgentProcess(fake, environment);
  open.push(fake, agent);
  await agent.start();
  const workspaceId = ulid();
  const create = async (overrides: object) => {
    const body = await workspaceRequest(fake, workspaceId, overrides);
    await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
  };
  return { fake, agent, workspaceId, create };
}

describe('the timeout of a clone', () => {
  it('names the step, its time and the load of the machine', async () => {
    const silent = new SilentCodeHost();
    await silent.start();
    open.push(silent);
    const node = await nodeWith({ NODE_ROLE: 'standalone', BOOTSTRAP_TIMEOUT: '3s' });
    await node.create({ cloneUrl: `${silent.url}/octo/full.git` });

    const failed = await until(
      'the failure',
      () => node.fake.callsTo(`${node.workspaceId}/provisioning-failed`)[0],
    );
    const text = String(failed.body.errorMessage);
    expect(text).toMatch(load);
    expect(text).toMatch(/^The workspace was not ready after 3 s\. /);
    expect(text).toMatch(/The step "Cloning octo\/full \(main\)" had run for [23] s\. /);
    expect(text).toMatch(/Last output:\nCloning into/);

    const token = await node.fake.management(node.workspaceId);
    const { body } = await node.agent.call('GET', `/workspaces/${node.workspaceId}/events`, token);
    const events = body.events as { type: string; detail: object | null }[];
    expect(events.find(({ type }) => type === 'workspace.provisioning_failed')?.detail).toMatchObject({
      resourceDiagnostics: {
        metrics: { cpuLoadAvg1: expect.any(Number), memoryPercent: expect.any(Number) },
        numCpu: expect.any(Number),
        cpuSaturated: expect.any(Boolean),
        memExhausted: expect.any(Boolean),
        diskFull: expect.any(Boolean),
      },
    });
  });
});

describe.skipIf(!hasDocker())('the timeout in a dev container (with a Docker engine)', () => {
  it.each([
    ['of a build', 'devcontainer_build', 'The build', { build: { dockerfile: 'Dockerfile' } }],
    [
      'of a lifecycle command',
      'devcontainer_commands',
      'The commands of the dev container',
      { image: baseImage, postCreateCommand: 'echo begun; sleep 60' },
    ],
  ])('%s names the load of the machine and the last output', async (_, step, name, configuration) => {
    const environment = {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_LOOPBACK_ALIAS: engineGateway(),
      DEVCONTAINER_BUILD_TIMEOUT: '16s',
    };
    const node = await nodeWith(environment, '0.0.0.0');
    node.fake.addRepository('slow', {
      '.devcontainer/devcontainer.json': JSON.stringify(configuration),
      '.devcontainer/Dockerfile': `FROM ${baseImage}\nRUN echo begun && sleep 60 # ${ulid()}\n`,
    });
    await node.create({ repository: 'octo/slow', cloneUrl: node.fake.cloneUrl('slow') });
    await until('the workspace', () => node.fake.callsTo(`${node.workspaceId}/ready`)[0], 60_000);

    const entries = node.fake
      .callsTo(`${node.workspaceId}/boot-log`)
      .map(({ body }) => body.entry as { step: string; status: string; detail?: string });
    const failed = entries.find((entry) => entry.step === step && entry.status === 'failed');
    expect(failed?.detail).toMatch(new RegExp(`^${name} timed out after 16 s\\. `));
    expect(failed?.detail).toMatch(load);
    expect(failed?.detail).toContain('begun');
    const token = await node.fake.management(node.workspaceId);
    await node.agent.call('DELETE', `/workspaces/${node.workspaceId}`, token);
  });
});
