import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { AgentProcess } from '../../integration/agent/agent-process.js';
import { baseImage, docker, hasDocker } from '../../integration/agent/docker-engine.js';
import { FakeControlPlane } from '../../integration/agent/fake-control-plane.js';
import { workspaceRequest } from '../../integration/agent/workspace-request.js';
import { until } from '../../support/until.js';

it.skipIf(!hasDocker())('a workspace too large for its node is rebuilt from the default image', async () => {
  await using fake = await FakeControlPlane.start();
  await using agent = new AgentProcess(fake, {
    NODE_ROLE: 'workspace',
    DEFAULT_DEVCONTAINER_IMAGE: baseImage,
  });
  await agent.start();
  const workspaceId = ulid();
  const about = async (method: string, path: string, body?: unknown) =>
    agent.call(method, `/workspaces${path}`, await fake.management(workspaceId), body);
  const untilIs = (status: string) =>
    until(`the workspace to be ${status}`, async () => {
      const { body } = await agent.call('GET', '/workspaces', await fake.management());
      const [found] = body.workspaces as { status: string; errorMessage: string | null }[];
      if (found?.status !== status) throw new Error(JSON.stringify(found));
      return found;
    });
  const reservation = { cpuMillis: 0, memoryMb: 0, diskMb: 32 };
  await about('POST', '', await workspaceRequest(fake, workspaceId, { reservation }));
  await untilIs('running');
  docker('exec', '-w', '/workspaces/full', `svc-ws-${workspaceId}`, 'truncate', '-s', '3G', 'sparse');

  await about('POST', `/${workspaceId}/rebuild`, {
    generation: 2,
    callbackToken: await fake.workspaceCallback(workspaceId, 2),
  });
  const { errorMessage } = await untilIs('recovering');

  expect(errorMessage).toContain('The files of the repository folder exceeded the limit of 33554432 bytes');
  expect(readdirSync(join(agent.folder, 'state', 'clones'))).toEqual([]);
  await about('DELETE', `/${workspaceId}`);
});
