import { createServer, type Server } from 'node:net';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { docker } from './docker-engine.js';
import { freePort, PreviewNode, previewNetworks } from './preview-node.js';

const waiting = { timeout: 15_000, interval: 50 };

describe.each(previewNetworks)('ports of $name', (kind) => {
  let node: PreviewNode;
  let one: string;
  let two: string;

  beforeAll(async () => {
    node = await PreviewNode.start(kind);
    [one, two] = [await node.workspace(), await node.workspace()];
  });
  afterAll(() => node[Symbol.asyncDispose]());

  const list = async (workspaceId: string, token?: string | null) =>
    node.agent.call(
      'GET',
      `/workspaces/${workspaceId}/ports`,
      token === undefined ? await node.fake.terminal(workspaceId) : token,
    );

  const portsOf = async (workspaceId: string) =>
    ((await list(workspaceId)).body.ports as { port: number; address: string }[]).map(({ port }) => port);

  it('finds listening ports of a workspace at any address, and shows them to no other workspace', async () => {
    const loopback = await node.serve(one);
    const everywhere = await node.serve(one, { host: '0.0.0.0' });
    const foreign = await node.serve(two);

    await vi.waitFor(async () => {
      expect(await portsOf(one)).toEqual([loopback, everywhere].toSorted((a, b) => a - b));
    }, waiting);
    await vi.waitFor(async () => expect(await portsOf(two)).toEqual([foreign]), waiting);
    expect((await list(one)).body.ports).toContainEqual({
      port: everywhere,
      address: '0.0.0.0',
      label: `Port ${everywhere}`,
      url: `/workspaces/${one}/ports/${everywhere}/`,
      detectedAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('reports a workspace as used after a request to one of its ports', async () => {
    const port = await node.serve(one);
    await node.agent.call('GET', `/workspaces/${one}/ports/${port}/`, await node.fake.terminal(one));

    await vi.waitFor(
      () =>
        expect(node.fake.callsTo('heartbeat').map(({ body }) => body)).toContainEqual(
          expect.objectContaining({ usedWorkspaces: [one] }),
        ),
      waiting,
    );
  });

  it('finds services that have overwritten their environment', async () => {
    const port = await freePort();
    const terminal = await node.workspaces.run(
      two,
      `env -i "$(command -v perl)" -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1", LocalPort => ${port}); print "op" . "en\\n"; <STDIN>'`,
    );
    await terminal.waitForText(/open/);

    await vi.waitFor(async () => expect(await portsOf(two)).toContain(port), waiting);
  });

  it('records events when ports open and close', async () => {
    const port = await freePort();
    const terminal = await node.workspaces.run(
      two,
      `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1", LocalPort => ${port}); print "op" . "en\\n"; <STDIN>'`,
    );
    await terminal.waitForText(/open/);
    const events = async () => {
      const { body } = await node.agent.call(
        'GET',
        `/workspaces/${two}/events`,
        await node.fake.terminal(two),
      );
      const found = body.events as { type: string; detail: { port?: number } | null }[];
      return found.filter(({ detail }) => detail?.port === port).map(({ type }) => type);
    };
    await vi.waitFor(async () => expect(await events()).toEqual(['port.detected']), waiting);

    const [session] = terminal.messages.flatMap((message) =>
      message.type === 'session_created' ? [message.sessionId] : [],
    );
    terminal.type(session ?? '', '\n');

    await vi.waitFor(async () => expect(await events()).toEqual(['port.closed', 'port.detected']), waiting);
  });

  it('never takes a port of the machine for a port of the workspace', async () => {
    const port = await freePort();
    const server = await listen(port);
    // When another port appears, a second scan has passed.
    const later = await node.serve(one);
    await vi.waitFor(async () => expect(await portsOf(one)).toContain(later), waiting);

    expect(await portsOf(one)).not.toContain(port);
    expect(await portsOf(one)).not.toContain(node.agent.port);
    await new Promise((resolve) => server.close(resolve));
  });

  it('are listed for authorized callers only', async () => {
    expect(await list(one, null)).toMatchObject({ status: 401 });
    expect(await list(one, await node.fake.terminal(two))).toMatchObject({ status: 403 });
    expect(await list(one, await node.fake.terminal(one, 2))).toMatchObject({ status: 403 });
    expect(await list(one, await node.fake.management())).toMatchObject({ status: 403 });
    expect(await list(one, await node.fake.management(one))).toMatchObject({ status: 200 });
    const missing = ulid();
    expect(await list(missing, await node.fake.terminal(missing))).toMatchObject({ status: 404 });
  });

  // The processes of a standalone workspace end with the agent.
  it.skipIf(kind.role === 'standalone')('finds them again after a restart of the agent', async () => {
    const port = await freePort();
    docker('exec', '-d', `svc-ws-${one}`, 'node', '/preview-service.mjs', String(port), '127.0.0.1');
    await vi.waitFor(async () => expect(await portsOf(one)).toContain(port), waiting);

    await node.agent.kill('SIGKILL');
    await node.agent.start();

    await vi.waitFor(async () => expect(await portsOf(one)).toContain(port), waiting);
  });
});

function listen(port: number): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1', () => resolve(server));
  });
}
