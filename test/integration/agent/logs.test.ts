import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AgentProcess } from './agent-process.js';
import { baseImage, docker, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { FakeJournal } from './fake-journal.js';
import { LogStreamClient } from './log-stream-client.js';
import { unpackedDebugPackage } from './unpacked-debug-package.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 50 };
const planted = 'ghp_plantedplantedplanted1234';
let fake: FakeControlPlane;

beforeAll(async () => {
  fake = await FakeControlPlane.start();
});

afterAll(() => fake[Symbol.asyncDispose]());

describe('logs of a node with a journal', () => {
  const journal = new FakeJournal();
  let agent: AgentProcess;

  beforeAll(async () => {
    agent = new AgentProcess(fake, {
      NODE_ROLE: 'standalone',
      PATH: `${journal.folder}:${process.env.PATH}`,
      DEBUG_PACKAGE_TIMEOUT: '2s',
      LOG_STREAM_BUFFER_SIZE: '3',
      LOG_STREAM_PING_INTERVAL: '100ms',
      LOG_STREAM_PONG_TIMEOUT: '600ms',
      LOG_STREAM_RESTART_DELAY: '50ms',
    });
    await agent.start();
  });

  afterAll(() => agent[Symbol.asyncDispose]());

  const get = async (query: string) => agent.call('GET', `/logs?${query}`, await fake.management());
  const open = async (query: string, autoPong = true) =>
    LogStreamClient.open(agent, await fake.management(), query, autoPong);

  it('show levels, units and bytes of the journal, and no secret', async () => {
    journal.write('all is well');
    journal.write([...Buffer.from('bytes')], { PRIORITY: '3' });
    journal.write(`token=${planted}`, { PRIORITY: '4' });
    journal.write('the agent itself', { _PID: String(agent.pid) });

    const { status, body } = await get('source=systemd&level=debug');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({
          level: 'warn',
          message: 'token=[redacted]',
          metadata: { unit: 'ssh.service' },
        }),
        expect.objectContaining({ level: 'error', message: 'bytes' }),
        expect.objectContaining({ level: 'info', message: 'all is well', source: 'systemd' }),
      ]),
      unavailable: [],
    });
    expect(body.entries).toHaveLength(3);
  });

  it('page through the journal, each entry once', async () => {
    for (let n = 0; n < 25; n += 1) journal.write(`page ${n}.`);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await get(
        `source=systemd&search=page&limit=10&cursor=${cursor}`.replace(/&cursor=$/, ''),
      );
      seen.push(...(body.entries as { message: string }[]).map(({ message }) => message));
      cursor = String(body.nextCursor ?? '');
    } while (cursor);
    expect(seen.sort()).toEqual(Array.from({ length: 25 }, (_, n) => `page ${n}.`).sort());
  });

  it('say which sources are not here', async () => {
    const { body } = await get('source=cloud-init');

    expect(body).toMatchObject({ entries: [], unavailable: [{ source: 'cloud-init' }] });
  });

  it('stream the newest entries oldest first, and then what comes, over restarts of the reader', async () => {
    for (const n of [1, 2, 3, 4]) journal.write(`caught ${n}.`);
    const client = await open('source=systemd&search=.&level=debug');
    await client.waitFor('caught 4.');
    expect(client.entries.map(({ message }) => message)).toEqual(['caught 2.', 'caught 3.', 'caught 4.']);

    for (let n = 0; n < 30; n += 1) {
      journal.write(`live ${n}.`);
      await client.waitFor(`live ${n}.`);
    }

    const live = client.entries.slice(3).map(({ message }) => message);
    expect(live).toEqual(Array.from({ length: 30 }, (_, n) => `live ${n}.`));
    client.socket.close();
  });

  it("follow the agent's own lines, with the same filters", async () => {
    const client = await open('source=agent&search=provisioning%20started');
    const other = await open('source=agent&level=error');
    const id = ulid();

    await agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id));

    await client.waitFor('provisioning started');
    expect(other.entries).toEqual([]);
    client.socket.close();
    other.socket.close();
    await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
  });

  it('keep a reader that answers pings, and end one that does not', async () => {
    const alive = await open('source=agent');
    const silent = await open('source=agent', false);

    await vi.waitFor(() => expect(silent.closed).not.toBeNull(), waiting);
    await vi.waitFor(() => expect(alive.pings).toBeGreaterThan(10), waiting);

    expect(alive.closed).toBeNull();
    alive.socket.close();
  });

  it('are refused as any route is: by kind of token, and by field', async () => {
    const workspaceId = ulid();
    const refused = async (token: string, query = '') => LogStreamClient.open(agent, token, query);

    await expect(refused(await fake.terminal(workspaceId))).rejects.toThrow('refused with 401');
    await expect(refused(await fake.management(workspaceId))).rejects.toThrow('refused with 403');
    await expect(refused(await fake.management(), 'level=loud')).rejects.toThrow('refused with 400');
  });

  it('are in the debug package, which is whole although one of its sources hangs', async () => {
    journal.write(`packed token=${planted}`);

    const folder = await unpackedDebugPackage(agent, await fake.management());

    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest.missing).toEqual(
      expect.arrayContaining([
        { name: 'dmesg.log', reason: 'Timed out' },
        { name: 'processes.txt', reason: 'There was no time left' },
      ]),
    );
    const journaled = readFileSync(join(folder, 'journald-full.log'), 'utf8');
    expect(journaled).toContain('packed token=[redacted]');
    expect(journaled).not.toContain(planted);
  });

  it('are so many at a time; one more is sent away, and can do no harm until it has gone', async () => {
    const streams = await Promise.all(Array.from({ length: 32 }, () => open('source=agent')));
    const oneMore = await open('source=agent');
    const rude = await open('source=agent');
    // No frame begins like this.
    (rude.socket as unknown as { readonly _socket: Socket })._socket.write(Buffer.alloc(8, 0xff));

    await vi.waitFor(() => expect(rude.closed).not.toBeNull(), waiting);
    await vi.waitFor(() => expect(oneMore.closed).toBe(1_013), waiting);
    expect(await agent.call('GET', '/health', null)).toMatchObject({ status: 200 });
    expect(streams.map(({ closed }) => closed)).toEqual(streams.map(() => null));
    for (const { socket } of streams) socket.terminate();
  });

  it('end with the agent', async () => {
    const client = await open('source=all');

    await agent.kill('SIGTERM');
    if (client.closed === null) await once(client.socket, 'close');

    expect(client.closed).toBe(1_001);
    expect(agent.exitCode).toBe(0);
  });
});

describe.skipIf(!hasDocker())('logs of containers', () => {
  const ids: string[] = [];
  let agent: AgentProcess;

  beforeAll(async () => {
    agent = new AgentProcess(fake, {
      DEFAULT_DEVCONTAINER_IMAGE: baseImage,
      LOG_STREAM_RESTART_DELAY: '50ms',
    });
    await agent.start();
  });

  afterAll(async () => {
    for (const id of ids) await agent.call('DELETE', `/workspaces/${id}`, await fake.management(id));
    await agent[Symbol.asyncDispose]();
  });

  const make = async (id: string) => {
    ids.push(id);
    await agent.call('POST', '/workspaces', await fake.management(id), await workspaceRequest(fake, id));
    await vi.waitFor(() => expect(docker('ps', '-q', '-f', `name=svc-ws-${id}`)).not.toBe(''), waiting);
  };
  const say = (id: string, text: string) =>
    docker('exec', `svc-ws-${id}`, 'sh', '-c', `echo "${text}" > /proc/1/fd/1`);

  it('are streamed without a gap or a repeat, from containers that start later too', async () => {
    const [first, second] = [ulid(), ulid()];
    await make(first);
    say(first, 'before');
    const client = await LogStreamClient.open(agent, await fake.management(), 'source=docker');
    await client.waitFor('before');

    for (let n = 0; n < 20; n += 1) say(first, `line ${n}.`);
    await client.waitFor('line 19.');
    await make(second);
    say(second, `late token=${planted}`);
    const late = await client.waitFor('late');

    expect(late).toMatchObject({ source: `docker:svc-ws-${second}`, message: 'late token=[redacted]' });
    const lines = client.entries.filter(({ message }) => message.startsWith('line'));
    expect(lines.map(({ message }) => message)).toEqual(Array.from({ length: 20 }, (_, n) => `line ${n}.`));
    client.socket.close();
  });

  it('are in the debug package when their container has ended, too', async () => {
    const id = ulid();
    await make(id);
    await vi.waitFor(() => expect(fake.callsTo(`${id}/ready`)).toHaveLength(1), waiting);
    say(id, 'the last word');
    await agent.call('POST', `/workspaces/${id}/stop`, await fake.management(id));

    const folder = await unpackedDebugPackage(agent, await fake.management());

    const known = JSON.parse(readFileSync(join(folder, 'docker-ps.json'), 'utf8'));
    expect(known).toContainEqual(expect.objectContaining({ name: `svc-ws-${id}`, state: 'exited' }));
    expect(readFileSync(join(folder, 'docker-inspect.json'), 'utf8')).toContain(`svc-ws-${id}`);
    expect(readFileSync(join(folder, 'docker-logs.jsonl'), 'utf8')).toContain('the last word');
    const { containers } = (await agent.call('GET', '/containers', await fake.management())).body;
    expect(JSON.stringify(containers)).not.toContain(id);
  });
});
