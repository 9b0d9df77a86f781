import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { docker, hasDocker } from './docker-engine.js';
import { StartedWorkspaces } from './started-workspaces.js';

const waiting = { timeout: 30_000, interval: 50 };

describe.skipIf(!hasDocker())('a container that was made on a network that all share', () => {
  let node: StartedWorkspaces;

  beforeAll(async () => {
    node = await StartedWorkspaces.start('workspace', 1, { WORKSPACE_NETWORK: 'bridge' });
  });

  afterAll(() => node?.[Symbol.asyncDispose]());

  it('is created again on its own network when its workspace is restarted, with the same files', async () => {
    const { agent, fake, workspaceId } = node;
    const network = () => docker('inspect', '-f', '{{.HostConfig.NetworkMode}}', `svc-ws-${workspaceId}`);
    node.shell('echo kept >kept.txt');
    expect(network()).toBe('bridge');
    await agent.kill('SIGTERM');
    await agent.start({ WORKSPACE_NETWORK: 'own' });

    const token = await fake.management(workspaceId);
    for (const move of ['stop', 'restart'])
      await agent.call('POST', `/workspaces/${workspaceId}/${move}`, token);
    await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(2), waiting);

    expect(network()).toBe(`svc-ws-${workspaceId}`);
    expect(docker('exec', `svc-ws-${workspaceId}`, 'cat', '/workspaces/full/kept.txt')).toBe('kept');
  });
});
