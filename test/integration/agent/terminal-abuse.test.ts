import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rolesHere, StartedWorkspaces } from './started-workspaces.js';
import { TerminalClient } from './terminal-client.js';

const waiting = { timeout: 30_000, interval: 20 };
/** Creating containers is expensive, which limits their number here. */
const workspacesOf: Readonly<Record<string, number>> = { standalone: 10, workspace: 2 };
const terminalsEach = 20;

const garbage: readonly (string | Buffer)[] = [
  '',
  '{',
  'null',
  '[]',
  '7',
  '"text"',
  '{"type":7}',
  '{"type":"no_such_type"}',
  '{"type":"create_session"}',
  '{"type":"create_session","sessionId":"../../x"}',
  `{"type":"create_session","sessionId":"${'x'.repeat(129)}"}`,
  '{"type":"__proto__","sessionId":"a"}',
  '{"__proto__":{"type":"ping"}}',
  '{"type":"input","sessionId":"main","data":{"data":{}}}',
  '{"type":"resize","sessionId":"main","data":{"rows":"many"}}',
  '{"type":"ack","sessionId":"main","data":{"offset":1e400}}',
  '{"type":"reattach_session","sessionId":"main","data":{"offset":-1}}',
  `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
  Buffer.alloc(0),
  Buffer.from([0x02]),
  Buffer.from([0x02, 255, 1, 2, 3]),
  Buffer.from([0x01, 4, ...Buffer.from('main'), 0, 0, 0, 0, 0, 0, 0, 0, 65]),
  Buffer.from([0x07, 4, ...Buffer.from('main'), 65]),
  randomBytes(60_000),
];

describe.each(rolesHere)('terminals as %s withstand', (role) => {
  let started: StartedWorkspaces;

  beforeAll(async () => {
    started = await StartedWorkspaces.start(role, workspacesOf[role]);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  const connect = async (workspaceId = started.workspaceId) =>
    TerminalClient.open(started.agent, await started.fake.terminal(workspaceId));
  const open = async (sessionId: string) => {
    const client = await connect();
    client.send({ type: 'create_session', sessionId, data: { rows: 24, cols: 80 } });
    await client.waitFor('session_created');
    return client;
  };
  const residentMiB = () => {
    const status = readFileSync(`/proc/${started.agent.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  };

  it('invalid frames: each is reported, none has an effect', async () => {
    const client = await open('main');
    for (const frame of garbage) client.socket.send(frame);
    await vi.waitFor(() => {
      const errors = client.messages.filter(({ type }) => type === 'error');
      expect(errors).toHaveLength(garbage.length);
    }, waiting);

    client.type('main', 'stty size; echo DO"NE"\n');
    await client.waitForText(/24 80[\s\S]*DONE/);
    client.socket.close();
  });

  it('data that is no frame, and oversized frames', async () => {
    const client = await connect();
    // The library does not expose its connection.
    (client.socket as unknown as { _socket: Socket })._socket.write(randomBytes(4_096));
    await vi.waitFor(() => expect(client.closed).not.toBeNull(), waiting);
    const big = await connect();
    big.socket.send(Buffer.alloc(65_537));
    await vi.waitFor(() => expect(big.closed).toMatchObject({ code: 1009 }), waiting);
    const other = await connect();
    other.send({ type: 'ping' });
    await other.waitFor('pong');
    other.socket.close();
  });

  it('a thousand resizes at once, which slow down only their sender', async () => {
    const watching = await open('resized');
    const wild = await connect();
    for (let index = 0; index < 1_000; index++) {
      const data = { rows: 10 + (index % 40), cols: 20 + (index % 100) };
      wild.send({ type: 'resize', sessionId: 'resized', data });
    }
    wild.send({ type: 'ping' });
    await wild.waitFor('pong');
    expect(wild.closed).toBeNull();
    wild.socket.close();
    watching.send({ type: 'resize', sessionId: 'resized', data: { rows: 33, cols: 111 } });
    watching.type('resized', 'until [ "$(stty size)" = "33 111" ]; do sleep 0.05; done; echo DO"NE"\n');
    await watching.waitForText(/DONE/);
    watching.socket.close();
  });

  it('clients that never read: memory stays bounded, and other clients are not affected', async () => {
    const before = residentMiB();
    const deaf: TerminalClient[] = [];
    for (let index = 0; index < 5; index++) {
      const client = await open(`deaf-${index}`);
      client.isAcknowledging = false;
      client.type(`deaf-${index}`, 'yes "a line that nobody reads"\n');
      await client.waitForText(/a line that nobody reads\r\n/);
      client.socket.pause();
      deaf.push(client);
    }
    const other = await open('third');
    for (let round = 0; round < 20; round++) {
      other.type('third', `echo ROUND"-"${round}\n`);
      await other.waitForText(new RegExp(`ROUND-${round}\\r`));
    }
    // Per terminal: 256 KiB ring, 128 KiB socket and kernel buffers. Unbounded, `yes` would fill
    // gigabytes.
    expect(residentMiB() - before).toBeLessThan(100);
    for (const client of [...deaf, other]) client.socket.terminate();
    const token = await started.fake.terminal(started.workspaceId);
    const closing = await TerminalClient.open(started.agent, token);
    for (const index of deaf.keys()) closing.send({ type: 'close_session', sessionId: `deaf-${index}` });
    await vi.waitFor(() => {
      const closed = closing.messages.filter(({ type }) => type === 'session_closed');
      expect(closed).toHaveLength(deaf.length);
    }, waiting);
    closing.socket.close();
  });

  it(`${terminalsEach} terminals at once in each of ${workspacesOf[role]} workspaces`, async () => {
    const { agent, fake, workspaceIds } = started;
    // Exited terminals are replaced; those of earlier tests are not.
    for (const id of workspaceIds.slice(0, 1)) {
      const client = await connect(id);
      for (const sessionId of ['main', 'resized', 'third']) client.send({ type: 'close_session', sessionId });
      await vi.waitFor(() => {
        expect(client.messages.filter(({ type }) => type === 'session_closed')).toHaveLength(3);
      }, waiting);
      client.socket.close();
    }
    const clients = await Promise.all(workspaceIds.map((id) => connect(id)));
    for (const client of clients)
      for (let index = 0; index < terminalsEach; index++)
        client.send({ type: 'create_session', sessionId: `t${index}` });
    await vi.waitFor(() => {
      for (const { messages } of clients)
        expect(messages.filter(({ type }) => type === 'session_created')).toHaveLength(terminalsEach);
    }, waiting);
    for (const [index, client] of clients.entries()) {
      for (let each = 0; each < terminalsEach; each++)
        client.type(`t${each}`, `echo I"M"-${index}-${each}-\n`);
    }
    await vi.waitFor(() => {
      for (const [index, client] of clients.entries())
        for (let each = 0; each < terminalsEach; each++)
          expect(client.text).toContain(`IM-${index}-${each}-`);
    }, waiting);

    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    const counts = (body.workspaces as { sessions: number }[]).map(({ sessions }) => sessions);
    expect(counts).toEqual(workspaceIds.map(() => terminalsEach));
    clients[0]?.send({ type: 'create_session', sessionId: 'one-too-many' });
    expect(await clients[0]?.waitFor('error')).toMatchObject({
      data: { error: `a workspace has at most ${terminalsEach} sessions` },
    });
    for (const client of clients) client.socket.close();
  });
});
