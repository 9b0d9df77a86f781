import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Docker from 'dockerode';
import { afterEach, expect, it } from 'vitest';
import { parseContainerEvent } from './container-event.js';
import { DockerEngine } from './docker-engine.js';
import { type OomDeath, OomDeaths } from './oom-deaths.js';

const servers: Server[] = [];
const ended = {
  Running: false,
  ExitCode: 137,
  StartedAt: '2026-01-01T00:00:00Z',
  FinishedAt: '2026-01-01T00:10:00Z',
};

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A fake engine with one container; null: it answers nothing about it. */
async function stage(state: { OOMKilled: boolean; Running?: boolean; StartedAt?: string } | null) {
  const at = { state };
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/containers/json'))
      response.end(JSON.stringify([{ Id: 'c', Names: ['/svc-ws-W'], Labels: { 'svc.workspace': 'W' } }]));
    else if (at.state === null) response.writeHead(404).end('{}');
    else response.end(JSON.stringify({ State: { ...ended, ...at.state } }));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const deaths = new OomDeaths(
    'N',
    new DockerEngine(new Docker({ protocol: 'http', host: '127.0.0.1', port })),
  );
  const killed: string[] = [];
  const died: OomDeath[] = [];
  deaths.listen({ killed: (id) => killed.push(id), died: (death) => died.push(death) });
  const add = async (Action: string, second: number, exitCode = '137') => {
    const Attributes = { name: 'svc-ws-W', 'svc.workspace': 'W', exitCode };
    const event = parseContainerEvent(
      JSON.stringify({ Action, Actor: { ID: 'c', Attributes }, timeNano: second * 1e9 }),
    );
    if (event === null) throw new Error('The event was not read');
    await deaths.add(event);
  };
  return { at, deaths, killed, died, add };
}

it('reports an end right after a kill, also when the engine has removed the container', async () => {
  const { killed, died, add } = await stage(null);
  await add('oom', 100);
  await add('die', 101);

  expect(killed).toEqual(['c']);
  expect(died).toEqual([
    {
      ...{ containerId: 'c', containerName: 'svc-ws-W', workspaceId: 'W', exitCode: 137 },
      occurredAt: new Date(101_000),
    },
  ]);
});

it('reports an end with the mark of the engine when no kill was reported', async () => {
  const { died, add } = await stage({ OOMKilled: true });
  await add('die', 101);

  expect(died).toHaveLength(1);
});

it('does not report an end by a client shortly after a kill, also when it looks at the mark', async () => {
  const { died, deaths, add } = await stage({ OOMKilled: true });
  await add('oom', 100);
  await add('kill', 105);
  await add('die', 106);

  expect(died).toEqual([]);
  expect(deaths.wasEndedByClient('c', ended.StartedAt)).toBe(true);
  expect(deaths.wasEndedByClient('c', '2026-01-02T00:00:00Z')).toBe(false);
});

it('reports an end by the kernel after a signal that the container survived', async () => {
  const { died, deaths, add } = await stage({ OOMKilled: true });
  await add('kill', 99);
  await add('oom', 100);
  await add('die', 101);

  expect(died).toHaveLength(1);
  expect(deaths.wasEndedByClient('c', ended.StartedAt)).toBe(false);
});

it.each([
  ['long after a kill of another process', 100, 111, '137'],
  ['with another exit code', 100, 101, '143'],
])('does not report an end %s, whose mark is still there', async (_, oomAt, dieAt, exitCode) => {
  const { killed, died, add } = await stage({ OOMKilled: true });
  await add('oom', oomAt);
  await add('die', dieAt, exitCode);

  expect(killed).toEqual(['c']);
  expect(died).toEqual([]);
});

it('does not report a killed container without evidence', async () => {
  const { died, deaths, add } = await stage({ OOMKilled: false });
  await add('die', 101);
  await deaths.findMissed();

  expect(died).toEqual([]);
});

it('finds a missed death once for each run of the container', async () => {
  const { at, died, deaths, add } = await stage({ OOMKilled: true });
  await deaths.findMissed();
  await deaths.findMissed();
  await add('die', 101);
  expect(died).toMatchObject([{ exitCode: 137, occurredAt: new Date(ended.FinishedAt) }]);

  at.state = { OOMKilled: true, Running: true };
  await deaths.findMissed();
  expect(died).toHaveLength(1);
  at.state = { OOMKilled: true, StartedAt: '2026-01-01T00:11:00Z' };
  await deaths.findMissed();
  expect(died).toHaveLength(2);
});

it.each(['', 'nonsense', '{"Action":"die"}'])('ignores %j from the engine', (line) => {
  expect(parseContainerEvent(line)).toBeNull();
});
