import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, engineGateway, hasDocker } from './docker-engine.js';
import { FakeControlPlane, nodeId } from './fake-control-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
const workspaceId = ulid();
const lostId = ulid();

describe.skipIf(!hasDocker())('a node with a Docker engine (and the image of scripts/base-image.sh)', () => {
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    // Containers find the code host of this test at the gateway of the engine.
    fake = await FakeControlPlane.start('0.0.0.0');
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'workspace',
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      WORKSPACE_LOOPBACK_ALIAS: engineGateway(),
    });
    await agent.start();
  });

  afterAll(async () => {
    for (const id of [workspaceId, lostId]) {
      await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id)).catch(() => undefined);
    }
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const create = async (id: string, overrides: object = {}) =>
    agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id, overrides));

  const statusOf = async (id: string) => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return (body.workspaces as { workspaceId: string; status: string }[]).find((w) => w.workspaceId === id)
      ?.status;
  };

  const open = async (sessionId: string) => {
    const client = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    client.send({ type: 'create_session', sessionId, data: { rows: 30, cols: 100 } });
    await client.waitFor('session_created');
    return client;
  };

  it('creates a labelled container and volume, and reports ready', async () => {
    expect(await create(workspaceId)).toMatchObject({ status: 202 });
    await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);

    const labels = docker('inspect', '-f', '{{json .Config.Labels}}', `svc-ws-${workspaceId}`);
    expect(JSON.parse(labels)).toEqual({
      'svc.workspace': workspaceId,
      'svc.node': nodeId,
      'svc.memory': expect.stringMatching(/^[1-9][0-9]+$/),
      'svc.generation': '1',
      'svc.origin': 'default',
      // Set also where unused, so that a label of the image has no effect.
      'svc.ports': '{"forwarded":[],"labels":[]}',
      'svc.service': '',
      'svc.startup': '{"user":"","commands":[]}',
    });
    expect(docker('volume', 'inspect', '-f', '{{index .Labels "svc.node"}}', `svc-ws-${workspaceId}`)).toBe(
      nodeId,
    );
    expect(docker('inspect', `svc-ws-${workspaceId}`)).not.toMatch(/eyJ|git-token/);
  });

  it('measures its containers for the heartbeat', async () => {
    await vi.waitFor(() => {
      const metrics = fake.callsTo('heartbeat').at(-1)?.body.metrics;
      expect(metrics).toMatchObject({
        containers: [{ workspaceId, memoryBytes: expect.any(Number), processes: expect.any(Number) }],
      });
    }, waiting);
  });

  it('opens a shell in the repository, with the requested size and push access', async () => {
    const client = await open('one');

    client.type('one', 'pwd; cat hello.txt; stty size; git --no-pager log --format=%s; echo RE"ADY"\n');
    await client.waitForText(/READY/);
    expect(client.text).toContain('/workspaces/full');
    expect(client.text).toContain('hello from the repository');
    expect(client.text).toContain('30 100');

    client.type('one', 'git commit -q --allow-empty -m x && git push -q && echo PUSH"ED" || echo FAIL"ED"\n');
    await client.waitForText(/PUSHED|FAILED/);
    expect(client.text).toContain('PUSHED');

    client.type('one', 'gh pr list; echo EXIT"ED" $?\n');
    await client.waitForText(/EXITED 127/);
    expect(client.text).toContain('gh is not installed in this workspace');
    const program = 'printf "%s" "$GH_ENTERPRISE_TOKEN" | wc -c; echo "GOT it from $GH_HOST"';
    const write = `echo '#!/bin/sh' >/usr/bin/gh; echo '${program}' >>/usr/bin/gh; chmod 755 /usr/bin/gh`;
    docker('exec', '-u', '0', `svc-ws-${workspaceId}`, 'sh', '-c', write);
    client.type('one', 'hash -r; gh pr list; echo "shell<$GH_ENTERPRISE_TOKEN>"\n');
    await client.waitForText(/shell<>/);
    expect(client.text).toContain(`${fake.gitToken.length}\r\nGOT it from ${new URL(fake.url).host}`);
    client.socket.close();
  });

  it('continues after a dropped socket without losing or repeating a byte', async () => {
    const first = await open('two');
    first.type('two', 'stty -echo; for i in $(seq 1 60000); do echo "line $i"; done; echo EN"D"\n');
    await first.waitForText(/line 3000\r/);
    const { offset } = first;
    first.socket.terminate();

    const second = await TerminalClient.open(agent, await fake.terminal(workspaceId));
    second.send({ type: 'reattach_session', sessionId: 'two', data: { offset } });
    await second.waitForText(/END/, 40_000);

    const lines = [...(first.text + second.text).matchAll(/^line (\d+)\r$/gm)].map(([, n]) => Number(n));
    expect(first.gaps + second.gaps).toBe(0);
    expect(lines).toHaveLength(60_000);
    expect(lines.every((n, index) => n === index + 1)).toBe(true);
    second.socket.close();
  });

  it('ends the shell of a closed session, and reports the exit code of one that exits', async () => {
    const client = await open('three');
    client.type('three', 'exit 7\n');
    expect(await client.waitFor('session_closed')).toMatchObject({
      data: { reason: 'process_exit', exitCode: 7 },
    });

    const closing = await open('four');
    closing.send({ type: 'close_session', sessionId: 'four' });
    await closing.waitFor('session_closed');
    await vi.waitFor(() => expect(shellsNamed('four')).toBe(0), waiting);
    client.socket.close();
    closing.socket.close();
  });

  it('adopts its containers after kill -9, and keeps unknown volumes until they are deleted', async () => {
    const before = docker('inspect', '-f', '{{.State.StartedAt}}', `svc-ws-${workspaceId}`);
    docker(
      'volume',
      'create',
      '--label',
      `svc.node=${nodeId}`,
      '--label',
      `svc.workspace=${lostId}`,
      `svc-ws-${lostId}`,
    );
    docker(
      ...['network', 'create', '--label', `svc.node=${nodeId}`, '--label', `svc.workspace=${lostId}`],
      ...['--subnet', '10.212.0.0/29', `svc-ws-${lostId}`],
    );
    await agent.kill('SIGKILL');

    await agent.start();

    expect(await statusOf(workspaceId)).toBe('running');
    expect(docker('inspect', '-f', '{{.State.StartedAt}}', `svc-ws-${workspaceId}`)).toBe(before);
    expect(docker('volume', 'ls', '-q', '-f', `name=svc-ws-${lostId}`)).toBe(`svc-ws-${lostId}`);
    await agent.call('DELETE', `/workspaces/${lostId}`, await fake.management(lostId));
    expect(docker('volume', 'ls', '-q', '-f', `name=svc-ws-${lostId}`)).toBe('');
    expect(docker('network', 'ls', '-q', '-f', `name=svc-ws-${lostId}`)).toBe('');
    const client = await open('five');
    client.type('five', 'cat hello.txt\n');
    await client.waitForText(/hello from/);
    client.socket.close();
  });

  it('keeps containers on SIGTERM', async () => {
    await agent.kill('SIGTERM');

    expect(agent.exitCode).toBe(0);
    expect(docker('inspect', '-f', '{{.State.Running}}', `svc-ws-${workspaceId}`)).toBe('true');
    await agent.start();
  });

  it('stops the container, and deletes it with its volume', async () => {
    const token = await fake.management(workspaceId);

    expect(await agent.call('POST', `/workspaces/${workspaceId}/stop`, token)).toMatchObject({ status: 200 });
    expect(docker('inspect', '-f', '{{.State.Running}}', `svc-ws-${workspaceId}`)).toBe('false');

    expect(await agent.call('DELETE', `/workspaces/${workspaceId}`, token)).toMatchObject({ status: 200 });
    expect(docker('ps', '-aq', '-f', `label=svc.workspace=${workspaceId}`)).toBe('');
    expect(docker('volume', 'ls', '-q', '-f', `label=svc.workspace=${workspaceId}`)).toBe('');
    expect(docker('network', 'ls', '-q', '-f', `label=svc.workspace=${workspaceId}`)).toBe('');
  });

  it('reports an image that cannot be pulled', async () => {
    await create(lostId, { image: 'localhost:1/no/such:image' });

    await vi.waitFor(() => expect(fake.callsTo(`${lostId}/provisioning-failed`)).toHaveLength(1), waiting);
    expect(fake.callsTo(`${lostId}/provisioning-failed`)[0]?.body.errorMessage).toMatch(
      /Image localhost:1\/no\/such:image could not be pulled/,
    );
  });
});

/** Running shells of a terminal session in the container. */
function shellsNamed(sessionId: string): number {
  const script = `grep -lza "SVC_TERMINAL=.*/${sessionId}$" /proc/[0-9]*/environ 2>/dev/null | wc -l`;
  return Number(docker('exec', `svc-ws-${workspaceId}`, 'sh', '-c', script));
}
