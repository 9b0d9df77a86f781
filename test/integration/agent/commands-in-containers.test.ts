import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { docker, hasDocker } from './docker-engine.js';
import { StartedWorkspaces } from './started-workspaces.js';

const waiting = { timeout: 15_000, interval: 50 };

describe.skipIf(!hasDocker())('programs that look into a container', () => {
  let node: StartedWorkspaces;

  beforeAll(async () => {
    node = await StartedWorkspaces.start('workspace');
  });

  afterAll(() => node[Symbol.asyncDispose]());

  it('end when their caller disconnects', async () => {
    const { agent, fake, workspaceId } = node;
    const container = `svc-ws-${workspaceId}`;
    const programs = () => docker('top', container, '-eo', 'pid,args');
    // Takes minutes to read, and no room.
    docker(
      'exec',
      container,
      'sh',
      '-c',
      'mkdir -p /workspaces/big && truncate -s 200G /workspaces/big/file',
    );
    const authorization = `Bearer ${await fake.terminal(workspaceId)}`;
    const path = `/workspaces/${workspaceId}/files/download?path=/workspaces/big`;

    const sent = request({
      host: '127.0.0.1',
      port: agent.port,
      ca: agent.certificate(),
      path,
      headers: { authorization },
    });
    sent.on('error', () => undefined);
    sent.end();
    await vi.waitFor(() => expect(programs()).toContain('tar -cf'), waiting);
    sent.destroy();

    await vi.waitFor(() => expect(programs()).not.toContain('tar -cf'), waiting);
  });

  it('fail with `unavailable` while the container cannot be reached', async () => {
    const { agent, fake, workspaceId } = node;
    const list = async () =>
      agent.call('GET', `/workspaces/${workspaceId}/files/list`, await fake.terminal(workspaceId));

    docker('pause', `svc-ws-${workspaceId}`);
    expect(await list()).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    docker('unpause', `svc-ws-${workspaceId}`);
    expect(await list()).toMatchObject({ status: 200 });
  });
});
