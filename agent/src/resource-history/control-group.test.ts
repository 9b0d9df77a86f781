import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findControlGroup } from './control-group.js';

const id = 'a'.repeat(64);
const version2 = {
  'cpu.stat': 'usage_usec 2500\nuser_usec 2000\n',
  'memory.current': '1000\n',
  'memory.peak': '4000\n',
  'memory.max': '5000\n',
  'memory.stat': 'anon 5\ninactive_anon 7\ninactive_file 300\n',
  'memory.events': 'low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\noom_group_kill 1\n',
  'io.stat': '8:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=9 dios=9\n8:16 rbytes=1 wbytes=2 rios=1 wios=1\n',
  'pids.current': '6\n',
};
const all = {
  cpuMillis: 2.5,
  memoryBytes: 1000,
  memoryWorkingSetBytes: 700,
  memoryPeakBytes: 4000,
  memoryLimitBytes: 5000,
  ioReadBytes: 11,
  ioWriteBytes: 22,
  oom: 3,
  oomKill: 2,
  pidsCurrent: 6,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

it.each([
  ['cgroupfs', `docker/${id}`],
  ['systemd', `system.slice/docker-${id}.scope`],
])('reads all figures of version 2 with the driver %s', (_, folder) => {
  write(folder, version2);

  const group = findControlGroup(id, root);

  expect(group?.source).toBe('cgroup-v2');
  expect(group?.read()).toEqual(all);
});

it('reads version 1 from its controllers, which do not count the times that memory ran out', () => {
  write('.', {
    [`cpuacct/docker/${id}/cpuacct.usage`]: '2500000\n',
    [`memory/docker/${id}/memory.usage_in_bytes`]: '1000\n',
    [`memory/docker/${id}/memory.max_usage_in_bytes`]: '4000\n',
    [`memory/docker/${id}/memory.limit_in_bytes`]: '5000\n',
    [`memory/docker/${id}/memory.stat`]: 'inactive_file 1\ntotal_inactive_file 300\n',
    [`memory/docker/${id}/memory.oom_control`]: 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
    [`blkio/docker/${id}/blkio.throttle.io_service_bytes_recursive`]:
      '8:0 Read 10\n8:0 Write 20\n8:0 Sync 30\n8:16 Read 1\n8:16 Write 2\nTotal 33\n',
    [`pids/docker/${id}/pids.current`]: '6\n',
  });

  const group = findControlGroup(id, root);

  expect(group?.source).toBe('cgroup-v1');
  expect(group?.read()).toEqual({ ...all, oom: undefined });
});

it.each([`docker/${id}`, `memory/docker/${id}`])('lists the processes of %s', (folder) => {
  const memory = { 'memory.current': '1\n', 'memory.usage_in_bytes': '1\n' };
  write(folder, { ...memory, 'cgroup.procs': '10\n11\n' });
  const group = findControlGroup(id, root);
  expect(group?.processes()).toEqual([10, 11]);

  rmSync(join(root, folder), { recursive: true });
  expect(group?.processes()).toEqual([]);
});

it('reads no limit where there is none', () => {
  write(`docker/${id}`, { ...version2, 'memory.max': 'max\n' });
  expect(findControlGroup(id, root)?.read()?.memoryLimitBytes).toBeUndefined();

  rmSync(join(root, 'docker'), { recursive: true });
  write(`memory/docker/${id}`, {
    'memory.usage_in_bytes': '1\n',
    'memory.limit_in_bytes': '9223372036854771712\n',
  });
  expect(findControlGroup(id, root)?.read()?.memoryLimitBytes).toBeUndefined();
});

it('leaves out what the kernel does not offer, instead of 0', () => {
  write(`docker/${id}`, { 'memory.current': '1000\n' });

  const figures = findControlGroup(id, root)?.read() ?? {};

  expect(Object.entries(figures).filter(([, value]) => value !== undefined)).toEqual([['memoryBytes', 1000]]);
});

it('reports a working set of 0 when the cache was counted after the usage shrank', () => {
  write(`docker/${id}`, { ...version2, 'memory.current': '200\n' });

  expect(findControlGroup(id, root)?.read()?.memoryWorkingSetBytes).toBe(0);
});

it('returns null for a container that ended, and finds none that does not run', () => {
  write(`docker/${id}`, version2);
  const group = findControlGroup(id, root);

  rmSync(join(root, 'docker', id), { recursive: true });

  expect(group?.read()).toBeNull();
  expect(findControlGroup(id, root)).toBeNull();
});

it('refuses an id that is not the id of a container', () => {
  write('docker/x', version2);

  expect(findControlGroup('x', root)).toBeNull();
  expect(findControlGroup('../docker/x', root)).toBeNull();
});
