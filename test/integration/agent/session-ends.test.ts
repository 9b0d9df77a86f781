import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { AgentProcess } from './agent-process.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { TerminalClient } from './terminal-client.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 15_000, interval: 20 };
const hashOf = (name: string) => createHash('sha256').update(name).digest('base64url');

let fake: FakeControlPlane;
let agent: AgentProcess;
const workspaceId = ulid();

beforeAll(async () => {
  fake = await FakeControlPlane.start();
  agent = new AgentProcess(fake, { NODE_ROLE: 'standalone' });
  await agent.start();
  const body = await workspaceRequest(fake, workspaceId);
  await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
  await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
});

afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

const tokenOf = (session: string) => fake.terminalOf({ workspace: workspaceId, session: hashOf(session) });
const end = async (...sessions: unknown[]) =>
  agent.call('POST', '/sessions/ended', await fake.management(), { sessions });

describe('the end of a sign-in session', () => {
  it('closes its sockets only, permanently', async () => {
    const token = await tokenOf('one');
    const mine = await TerminalClient.open(agent, token);
    const url = `wss://127.0.0.1:${agent.port}/terminal/ws?token=${token}`;
    const simple = new WebSocket(url, { ca: agent.certificate() });
    const simpleClosed = new Promise<number>((resolve) => simple.once('close', resolve));
    await new Promise((resolve) => simple.once('message', resolve));
    const other = await TerminalClient.open(agent, await tokenOf('two'));

    expect(await end(hashOf('one'))).toEqual({ status: 200, body: { success: true } });
    await vi.waitFor(() => expect(mine.closed).toEqual({ code: 1008, reason: 'session ended' }), waiting);
    expect(await simpleClosed).toBe(1008);

    await expect(TerminalClient.open(agent, token)).rejects.toThrow('refused with 401');
    expect(await agent.call('GET', `/workspaces/${workspaceId}/tabs`, token)).toMatchObject({ status: 401 });
    other.send({ type: 'ping' });
    await other.waitFor('pong');
    expect(await end(hashOf('one'))).toMatchObject({ status: 200 });
  });

  it('cuts off a client that does not answer, and ignores its frames', async () => {
    const client = await TerminalClient.open(agent, await tokenOf('three'));
    client.send({ type: 'create_session', sessionId: 'left' });
    await client.waitFor('session_created');
    client.socket.pause();
    expect(await end(hashOf('three'))).toMatchObject({ status: 200 });
    client.type('left', 'touch typed-after-the-end\n');
    client.socket.resume();
    await vi.waitFor(() => expect(client.closed).not.toBeNull(), waiting);

    const next = await TerminalClient.open(agent, await tokenOf('four'));
    next.send({ type: 'reattach_session', sessionId: 'left' });
    await next.waitFor('session_reattached');
    next.type('left', 'echo DO"NE"\n');
    await next.waitForText(/DONE/);
    expect(next.text).not.toContain('typed-after-the-end');
  });

  it('is remembered over a restart of the agent', async () => {
    const token = await tokenOf('five');
    expect(await end(hashOf('five'))).toMatchObject({ status: 200 });
    await agent.kill('SIGKILL');
    await agent.start();

    await expect(TerminalClient.open(agent, token)).rejects.toThrow('refused with 401');
  });

  it('is accepted only from the control plane, in the right form', async () => {
    const call = (token: string, body: unknown) => agent.call('POST', '/sessions/ended', token, body);
    const good = { sessions: [hashOf('six')] };

    expect(await call(await fake.management(workspaceId), good)).toMatchObject({ status: 403 });
    expect(await call(await tokenOf('six'), good)).toMatchObject({ status: 401 });
    for (const body of [{}, { sessions: [] }, { sessions: [''] }, { sessions: [7] }, { ...good, more: 1 }])
      expect(await call(await fake.management(), body)).toMatchObject({ status: 400 });
    await TerminalClient.open(agent, await tokenOf('six'));
  });
});
