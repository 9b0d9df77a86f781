import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findControlGroup } from '../resource-history/control-group.js';
import { findKernelKill } from './kernel-kill.js';
import { OomKills, oomKillText } from './oom-kills.js';

const id = 'a'.repeat(64);
const gib = 2 ** 30;

function stage(version: 'v1' | 'v2') {
  const root = mkdtempSync(join(tmpdir(), 'cgroup-'));
  const folder = join(root, version === 'v1' ? 'memory/docker' : 'docker', id);
  mkdirSync(folder, { recursive: true });
  const names =
    version === 'v1'
      ? ['memory.usage_in_bytes', 'memory.limit_in_bytes', 'memory.max_usage_in_bytes']
      : ['memory.current', 'memory.max', 'memory.peak'];
  [gib, 4 * gib, 4 * gib].forEach((bytes, index) => {
    writeFileSync(join(folder, names[index] ?? ''), `${bytes}\n`);
  });
  const kill = (count: number) =>
    writeFileSync(
      join(folder, version === 'v1' ? 'memory.oom_control' : 'memory.events'),
      `oom_kill ${count}\n`,
    );
  kill(7);
  const at = { ms: 0 };
  const kills = new OomKills({
    findGroup: (containerId) => findControlGroup(containerId, root),
    kernelKill: () => ({ name: 'node', memoryBytes: 3.1 * gib, largest: null }),
    now: () => at.ms,
  });
  return { kills, kill, at };
}

it.each(['v1', 'v2'] as const)('finds a kill by the counter of the control group (%s)', (version) => {
  const { kills, kill, at } = stage(version);
  kills.read(id);
  expect(kills.since(id, 0)).toBeNull();

  kill(8);
  at.ms = 1_000;

  const found = kills.since(id, 500);
  expect(found && oomKillText(found)).toBe(
    "the workspace's memory was full, 4.0 of 4.0 GiB; killed process: node, 3.1 GiB",
  );
  at.ms = 9_000;
  expect(kills.since(id, 500)).not.toBeNull();
  expect(kills.since(id, 4_000)).toBeNull();
});

it('takes the word of the engine when the counter is gone', () => {
  const { kills, at } = stage('v2');
  kills.read(id);
  at.ms = 1_000;

  kills.killed(id);

  expect(kills.since(id, 900)).not.toBeNull();
});

it('knows nothing of a container that it never read', () => {
  const { kills } = stage('v2');

  expect(kills.since('b'.repeat(64), 0)).toBeNull();
});

it.each([
  [{ limitBytes: gib / 2, peakBytes: gib / 2 }, "the workspace's memory was full, 0.50 of 0.50 GiB"],
  [{ limitBytes: gib, peakBytes: undefined }, "the workspace's memory was full (limit 1.0 GiB)"],
  [
    { limitBytes: 4 * gib, peakBytes: 2 * gib },
    "the node's memory was full (the workspace used at most 2.0 of 4.0 GiB)",
  ],
  [{ limitBytes: undefined, peakBytes: gib }, "the node's memory was full"],
])('describes %j', (given, text) => {
  expect(oomKillText({ ...given, process: null })).toBe(text);
});

it('finds the killed process of a container in the log of the kernel', () => {
  const entry = (group: string, pid: number, name: string, kib: number) => [
    `6,1,1,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${group},task_memcg=${group},task=${name},pid=${pid},uid=0`,
    `3,1,1,-;Memory cgroup out of memory: Killed process ${pid} (${name}) total-vm:99kB, anon-rss:${kib}kB, file-rss:24kB, shmem-rss:0kB, UID:0 pgtables:5kB oom_score_adj:500`,
  ];
  const tasks = (...rows: readonly (readonly [pages: number, name: string])[]) => [
    '4,1,1,-;Tasks state (memory values in pages):',
    '4,1,1,-;[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name',
    ...rows.map(
      ([pages, name], index) =>
        `4,1,1,-;[  ${20_595 + index}]     0 20595   999999   ${pages}   ${pages}        0         0    36864        0          1000 ${name}`,
    ),
  ];
  const lines = [
    ...tasks([999_999, 'earlier']),
    ...entry(`/docker/${id}`, 1, 'old', 1_000),
    ...tasks([131, 'docker-init'], [130_875, 'node'], [377, 'sh']),
    ...entry(`/docker/${id}`, 12, 'node (main)', 1_000),
    ...entry('/docker/other', 13, 'other', 1_000),
  ];

  expect(findKernelKill(lines, id)).toEqual({
    ...{ name: 'node (main)', memoryBytes: 1_024 * 1_024 },
    largest: { name: 'node', memoryBytes: 130_875 * 4_096 },
  });
  expect(findKernelKill(lines, 'c'.repeat(64))).toBeNull();
});
