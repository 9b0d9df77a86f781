import { spawnSync } from 'node:child_process';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, engineGateway, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const image = `berth-test-image-user:${ulid().toLowerCase()}`;
const dockerfile = `FROM ${baseImage}
RUN useradd -m dev
LABEL devcontainer.metadata='[{"id":"feature"},{"remoteUser":"dev"}]'
`;

describe.skipIf(!hasDocker())('an image whose metadata names a user (with a Docker engine)', () => {
  const ids: string[] = [];
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    const built = spawnSync('docker', ['build', '-q', '-t', image, '-'], { input: dockerfile });
    expect(built.status).toBe(0);
    fake = await FakeControlPlane.start('0.0.0.0');
    fake.addRepository('plain', { 'README.md': 'read me\n' });
    fake.addRepository('broken', { '.devcontainer.json': '{ "image": 7 }' });
    const environment = { NODE_ROLE: 'workspace', DEFAULT_DEVCONTAINER_IMAGE: image };
    agent = new AgentProcess(fake, { ...environment, WORKSPACE_LOOPBACK_ALIAS: engineGateway() });
    await agent.start();
  });

  afterAll(async () => {
    for (const id of ids) await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
    docker('rmi', '-f', image);
  });

  it.each([
    ['the default image', 'plain', 'running'],
    ['the fallback image', 'broken', 'recovering'],
  ])('runs as that user when it is %s', async (_, name, status) => {
    const id = ulid();
    ids.push(id);
    const body = await workspaceRequest(fake, id, {
      repository: `octo/${name}`,
      cloneUrl: fake.cloneUrl(name),
    });
    await agent.call('POST', '/workspaces', await fake.management(id), body);
    const ready = await until('the workspace', () => fake.callsTo(`${id}/ready`)[0], 60_000);

    expect(ready.body.status).toBe(status);
    const script = 'id -un; touch made && stat -c %U made .git; echo $HOME';
    expect(docker('exec', `svc-ws-${id}`, 'sh', '-c', script)).toBe('dev\ndev\ndev\n/home/dev');
  });
});
