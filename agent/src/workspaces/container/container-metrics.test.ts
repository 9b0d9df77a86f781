import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterEach, expect, it } from 'vitest';
import { ContainerMetrics } from './container-metrics.js';
import { DockerEngine } from './docker-engine.js';

const servers: Server[] = [];
const stats = {
  cpu_stats: { cpu_usage: { total_usage: 1 }, system_cpu_usage: 2, online_cpus: 1 },
  memory_stats: { usage: 100, limit: 200, stats: { inactive_file: 40 } },
  pids_stats: { current: 3 },
};

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/**
 * A fake engine: maps container id to the status that a measurement returns, or to a missing
 * container.
 */
async function engineOf(
  containers: Readonly<Record<string, 200 | 404 | 'none'>>,
  answer: () => object = () => stats,
  labels: Readonly<Record<string, string>> = {},
): Promise<DockerEngine> {
  const list = Object.keys(containers).map((Id) => ({
    Id,
    Labels: { 'svc.workspace': Id.slice(0, 1).toUpperCase(), ...labels },
  }));
  const server = createServer(({ url = '' }, response) => {
    const id = /^\/containers\/(\w+)\/stats/.exec(url)?.[1];
    const status = id === undefined ? 200 : containers[id];
    if (typeof status === 'number')
      response.writeHead(status).end(JSON.stringify(id === undefined ? list : answer()));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return new DockerEngine(new Docker({ protocol: 'http', host: '127.0.0.1', port }));
}

const measured = { memoryBytes: 60, memoryLimitBytes: 200, cpuPercent: 0, processes: 3 };

it('adds the services of a workspace to its own container', async () => {
  const metrics = new ContainerMetrics(await engineOf({ a: 200, a2: 200, b: 200 }));

  expect(await metrics.measure('N')).toEqual([
    { workspaceId: 'A', memoryBytes: 120, memoryLimitBytes: 400, cpuPercent: 0, processes: 6 },
    { workspaceId: 'B', ...measured },
  ]);
});

it('leaves out only the container that is gone', async () => {
  const metrics = new ContainerMetrics(await engineOf({ a: 200, b: 404, c: 200 }));

  expect(await metrics.measure('N')).toEqual([
    { workspaceId: 'A', ...measured },
    { workspaceId: 'C', ...measured },
  ]);
});

it('returns without an engine that hangs', async () => {
  const metrics = new ContainerMetrics(await engineOf({ a: 'none', b: 200 }), 300);

  expect(await metrics.measure('N')).toEqual([{ workspaceId: 'B', ...measured }]);
});

it('reports 0 % for a container that ended during the measurement, also after its restart', async () => {
  const ended = { cpu_stats: { cpu_usage: { total_usage: 0 } }, memory_stats: {}, pids_stats: {} };
  const answers = [stats, ended, stats];
  const metrics = new ContainerMetrics(await engineOf({ a: 200 }, () => answers.shift() ?? stats));

  await metrics.measure('N');

  const idle = { workspaceId: 'A', memoryBytes: 0, memoryLimitBytes: null, cpuPercent: 0, processes: 0 };
  expect(await metrics.measure('N')).toEqual([idle]);
  expect(await metrics.measure('N')).toEqual([{ workspaceId: 'A', ...measured }]);
});

it.each([
  ['version 1', { total_inactive_file: 40 }],
  ['version 2', { inactive_file: 40 }],
])('reports the limit of the reservation, not that of the machine (control groups %s)', async (_, cache) => {
  const machine = { ...stats, memory_stats: { usage: 100, limit: 64 * 2 ** 30, stats: cache } };
  const metrics = new ContainerMetrics(
    await engineOf({ a: 200, a2: 200 }, () => machine, { 'svc.memory': String(2 ** 29) }),
  );

  expect(await metrics.measure('N')).toEqual([
    { workspaceId: 'A', memoryBytes: 120, memoryLimitBytes: 2 ** 30, cpuPercent: 0, processes: 6 },
  ]);
});

it('reads control groups without asking the engine for statistics', async () => {
  const id = 'a'.repeat(64);
  const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
  const group = join(root, 'docker', id);
  mkdirSync(group, { recursive: true });
  const write = (name: string, content: string) => writeFileSync(join(group, name), content);
  write('memory.current', '100');
  write('memory.stat', 'inactive_file 40\n');
  write('memory.max', '120');
  write('pids.current', '3');
  write('cpu.stat', 'usage_usec 1000\n');
  // The engine would not answer.
  const metrics = new ContainerMetrics(await engineOf({ [id]: 'none' }), 500, root);

  const [first] = await metrics.sample('N', new AbortController().signal);
  write('cpu.stat', 'usage_usec 3600000000\n');
  const [second] = await metrics.sample('N', new AbortController().signal);

  const use = { memoryBytes: 60, memoryLimitBytes: 120, memoryPercent: 50, pids: 3, workspaceId: 'A' };
  expect(first).toMatchObject({ ...use, id, cpuPercent: 0, collectedAt: expect.any(Date) });
  expect(second?.cpuPercent).toBeGreaterThan(100);
});
