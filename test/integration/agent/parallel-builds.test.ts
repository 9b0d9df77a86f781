import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, engineGateway, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const names = ['first', 'second', 'third'];

describe.skipIf(!hasDocker())('builds of a node with two build slots (with a Docker engine)', () => {
  const ids: string[] = [];
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    fake = await FakeControlPlane.start('0.0.0.0');
    for (const name of names) fake.addRepository(name, repositoryOf(name));
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_LOOPBACK_ALIAS: engineGateway(),
      WORKSPACE_BUILD_QUEUE_DEPTH: '2',
    });
    await agent.start();
  });

  afterAll(async () => {
    for (const id of ids) await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  it('runs two builds at the same time and a third after one of them', async () => {
    for (const name of names) await create(name);
    await Promise.all(ids.map(untilReady));

    const spans = ids.map(spanOf);
    expect(Math.max(...spans.map(({ begin }) => runningAt(spans, begin)))).toBe(2);
  });

  it('gives each image the features of its own repository', () => {
    expect(ids.map((id) => docker('exec', `svc-ws-${id}`, 'cat', '/feature'))).toEqual(names);
  });

  it('leaves no image of features behind', () => {
    expect(docker('images', '-q', 'vsc-*')).toBe('');
    expect(docker('images', '-q', 'dev_container_feature_content_temp')).toBe('');
  });

  async function create(name: string): Promise<void> {
    const id = ulid();
    ids.push(id);
    const body = await workspaceRequest(fake, id, {
      repository: `octo/${name}`,
      cloneUrl: fake.cloneUrl(name),
    });
    await agent.call('POST', '/workspaces', await fake.management(id), body);
  }

  async function untilReady(id: string): Promise<void> {
    const ready = await until(`${id} to be ready`, () => fake.callsTo(`${id}/ready`)[0], 120_000);
    expect(ready.body.status).toBe('running');
  }
});

/** The install script runs for some seconds. A random text keeps it out of the engine's cache. */
function repositoryOf(name: string): Record<string, string> {
  const feature = { id: 'slow', version: '1.0.0', name: 'Slow' };
  return {
    '.devcontainer/devcontainer.json': JSON.stringify({ image: baseImage, features: { './slow': {} } }),
    '.devcontainer/slow/devcontainer-feature.json': JSON.stringify(feature),
    '.devcontainer/slow/install.sh': `#!/bin/sh
set -e
# ${randomUUID()}
date +%s%N > /begin
sleep 5
echo ${name} > /feature
date +%s%N > /end
`,
  };
}

interface Span {
  readonly begin: number;
  readonly end: number;
}

function spanOf(id: string): Span {
  const [begin = 0, end = 0] = docker('exec', `svc-ws-${id}`, 'cat', '/begin', '/end')
    .split('\n')
    .map(Number);
  return { begin, end };
}

const runningAt = (spans: readonly Span[], at: number): number =>
  spans.filter(({ begin, end }) => begin <= at && at < end).length;
