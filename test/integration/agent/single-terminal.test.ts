import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { AgentProcess } from './agent-process.js';
import { baseImage, hasDocker } from './docker-engine.js';
import { FakeControlPlane } from './fake-control-plane.js';
import { workspaceRequest } from './workspace-request.js';

const waiting = { timeout: 30_000, interval: 20 };
const roles = ['standalone', 'workspace'].filter((role) => role === 'standalone' || hasDocker());

describe.each(roles)('/terminal/ws as %s', (role) => {
  const workspaceId = ulid();
  let fake: FakeControlPlane;
  let agent: AgentProcess;

  beforeAll(async () => {
    fake = await FakeControlPlane.start();
    const environment = { DEFAULT_DEVCONTAINER_IMAGE: baseImage };
    agent = new AgentProcess(fake, { NODE_ROLE: role, ...environment });
    await agent.start();
    const body = await workspaceRequest(fake, workspaceId);
    await agent.call('POST', '/workspaces', await fake.management(workspaceId), body);
    await vi.waitFor(() => expect(fake.callsTo(`${workspaceId}/ready`)).toHaveLength(1), waiting);
  });

  afterAll(async () => {
    await agent.call('DELETE', `/workspaces/${workspaceId}`, await fake.management(workspaceId));
    await agent[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  const sessions = async () => {
    const { body } = await agent.call('GET', '/workspaces', await fake.management());
    return (body.workspaces as { sessions: number }[])[0]?.sessions;
  };

  const open = (token: string) => {
    const url = `wss://127.0.0.1:${agent.port}/terminal/ws?rows=31&cols=99&token=${token}`;
    const socket = new WebSocket(url, { ca: agent.certificate() });
    const seen: { messages: { type: string; data: { data?: string } }[]; refused: number | null } = {
      messages: [],
      refused: null,
    };
    socket.on('message', (data: Buffer) => seen.messages.push(JSON.parse(data.toString())));
    socket.on('unexpected-response', (_, response) => {
      seen.refused = response.statusCode ?? 0;
    });
    socket.on('error', () => undefined);
    const text = () => seen.messages.map(({ data }) => data?.data ?? '').join('');
    return { socket, seen, text };
  };

  it('opens one shell of the requested size, which ends with its socket', async () => {
    const { socket, seen, text } = open(await fake.terminal(workspaceId));
    await vi.waitFor(() => expect(seen.messages[0]?.type).toBe('session'), waiting);
    socket.send(
      JSON.stringify({ type: 'input', data: { data: 'stty size; echo "gr\\303\\274n" DO"NE"\n' } }),
    );
    await vi.waitFor(() => expect(text()).toMatch(/31 99[\s\S]*DONE/), waiting);
    socket.send(JSON.stringify({ type: 'ping' }));
    socket.send('garbage');
    await vi.waitFor(() => {
      expect(seen.messages.map(({ type }) => type)).toEqual(expect.arrayContaining(['pong', 'error']));
    }, waiting);
    expect(await sessions()).toBe(1);

    socket.close();
    await vi.waitFor(async () => expect(await sessions()).toBe(0), waiting);
    const tabs = await agent.call(
      'GET',
      `/workspaces/${workspaceId}/tabs`,
      await fake.management(workspaceId),
    );
    expect(tabs.body).toEqual({ tabs: [] });
  });

  it('refuses other tokens', async () => {
    for (const [token, status] of [
      [await fake.management(workspaceId), 401],
      [await fake.terminal(workspaceId, 7), 403],
    ] as const) {
      const { seen } = open(token);
      await vi.waitFor(() => expect(seen.refused).toBe(status), waiting);
    }
  });
});
