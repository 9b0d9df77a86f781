import { expect, it, vi } from 'vitest';
import { Log } from '../shared/log.js';
import type { ContainerUse, PressureEvent, PressureLevel } from './pressure.js';
import { PressureEvents } from './pressure-events.js';
import { ResourceGuard } from './resource-guard.js';

const log = new Log({ level: 'error', format: 'json' }, () => {});
const use = (id: string, memoryBytes: number, memoryPercent = 0): ContainerUse => ({
  ...{ id, name: id, workspaceId: id, cpuPercent: 0, memoryBytes, memoryLimitBytes: 0, memoryPercent },
  ...{ pids: 1, collectedAt: new Date(0) },
});

function stage({ pollIntervalMs = 1_000 } = {}) {
  const at = { memory: 'none' as PressureLevel | null, disk: 'none' as PressureLevel, second: 0 };
  const state = () => ({
    isAvailable: true,
    level: at.memory ?? 'none',
    pressure: null,
    collectedAt: new Date(at.second * 1_000),
  });
  let held = state();
  const sampleContainers = vi.fn<(signal: AbortSignal) => Promise<readonly ContainerUse[]>>(async () => [
    use('a', 1),
    use('b', 3),
  ]);
  const events = new PressureEvents(64, log);
  const guard = new ResourceGuard(
    { pollIntervalMs, statsIntervalMs: 1_000 },
    {
      memory: {
        get state() {
          return held;
        },
        hasBecomeCritical: () => at.memory === 'critical' && held.level !== 'critical',
        sample: () => {
          if (at.memory === null) return null;
          held = state();
          return held;
        },
      },
      disk: {
        get level() {
          return at.disk;
        },
        sample: async () => at.disk,
      },
      ...{ events, sampleContainers, now: () => new Date(at.second * 1_000), log },
    },
  );
  const reported: PressureEvent[] = [];
  void (async () => {
    for await (const event of guard.events()) reported.push(event);
  })();
  const poll = async (level: PressureLevel | null) => {
    at.memory = level;
    at.second += 1;
    await guard.poll();
    await new Promise(setImmediate);
  };
  return { at, guard, reported, poll, sampleContainers };
}

const summary = (reported: readonly PressureEvent[]) =>
  reported.map((event) => ('collectedAt' in event ? [event.level, event.collectedAt.getTime() / 1_000] : []));

it('reports critical pressure at each sample, a warning once, and its end not at all', async () => {
  const { reported, poll } = stage();

  for (const level of ['none', 'warning', 'warning', 'critical', 'critical', null] as const)
    await poll(level);
  for (const level of ['warning', 'none', 'none', 'critical', 'none'] as const) await poll(level);

  expect(summary(reported)).toEqual([
    ['warning', 2],
    ['critical', 4],
    ['critical', 5],
    ['warning', 7],
    ['critical', 10],
  ]);
});

it('reports pressure that becomes critical between two samples, and then at each sample', async () => {
  vi.useFakeTimers();
  try {
    const { at, guard, reported } = stage({ pollIntervalMs: 10_000 });
    guard.start();
    await vi.advanceTimersByTimeAsync(3_000);
    at.memory = 'critical';
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reported).toHaveLength(1);

    await vi.advanceTimersByTimeAsync(5_000);
    expect(reported).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reported).toHaveLength(2);
    await guard[Symbol.asyncDispose]();
  } finally {
    vi.useRealTimers();
  }
});

it('samples the containers again for a critical event, largest first', async () => {
  const { reported, poll, sampleContainers } = stage();
  const uses = [use('d', 2), use('c', 2), use('a', 1), use('b', 2, 9), use('e', 5)];
  sampleContainers.mockResolvedValueOnce(uses);

  await poll('warning');
  expect(sampleContainers).not.toHaveBeenCalled();
  await poll('critical');

  expect(reported[1]).toMatchObject({ type: 'system_memory_pressure' });
  const { containers } = reported[1] as { containers: readonly ContainerUse[] };
  expect(containers.map(({ id }) => id)).toEqual(['e', 'b', 'c', 'd', 'a']);
});

it('names no container when they cannot be sampled, also when earlier ones are known', async () => {
  const { guard, reported, poll, sampleContainers } = stage();
  await guard.check();
  sampleContainers.mockRejectedValueOnce(new Error('no engine'));

  await poll('critical');

  expect(reported).toMatchObject([{ level: 'critical', containers: [] }]);
  await expect(guard.sample(AbortSignal.abort()).then((all) => all.map(({ id }) => id))).resolves.toEqual([
    'b',
    'a',
  ]);
});

it('reports a full disk at each check, apart from memory', async () => {
  const { at, guard, reported } = stage();
  await guard.check();
  at.disk = 'critical';
  await guard.check();
  await guard.check();
  await new Promise(setImmediate);

  expect(reported.map(({ type }) => type)).toEqual(['disk_pressure', 'disk_pressure']);
  expect(guard.level()).toBe('critical');
  expect(guard.level('system_memory_pressure')).toBe('none');
  expect(guard.level('disk_pressure')).toBe('critical');
  at.disk = 'none';
  await guard.check();
  expect(guard.level()).toBe('none');
});

it('reports a container that died, and ends its readers when disposed', async () => {
  const { guard, reported } = stage();
  const death = { containerId: 'c', containerName: 'c', workspaceId: 'w', exitCode: 137 };
  guard.containerDied({ ...death, occurredAt: new Date(5) });
  await new Promise(setImmediate);

  expect(reported).toEqual([{ ...death, type: 'container_oom', level: 'critical', occurredAt: new Date(5) }]);
  await guard[Symbol.asyncDispose]();
  guard.containerDied({ ...death, occurredAt: new Date(6) });
  await new Promise(setImmediate);
  expect(reported).toHaveLength(1);
});

it('samples at its start and at each interval', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { at, guard, reported, sampleContainers } = stage();
  at.memory = 'critical';
  const settled = () => new Promise(setImmediate);

  guard.start();
  await settled();
  expect(reported).toHaveLength(1);
  const started = sampleContainers.mock.calls.length;
  vi.advanceTimersByTime(1_000);
  await settled();
  expect(reported).toHaveLength(2);
  expect(sampleContainers.mock.calls.length).toBe(2 * started);

  await guard[Symbol.asyncDispose]();
  vi.advanceTimersByTime(5_000);
  await settled();
  expect(reported).toHaveLength(2);
  vi.useRealTimers();
});
