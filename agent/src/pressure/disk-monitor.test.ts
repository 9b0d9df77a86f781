import { expect, it, vi } from 'vitest';
import { Log } from '../shared/log.js';
import { DiskMonitor, diskUsage } from './disk-monitor.js';

const log = new Log({ level: 'error', format: 'json' }, () => {});

function stage({ freed }: { freed: boolean }) {
  const at = { bytesPercent: 50, inodesPercent: 50, ms: 0, folder: '/data' as string | null };
  const cleanUp = vi.fn(async () => {
    if (freed) at.bytesPercent = 80;
  });
  const deps = { folder: async () => at.folder, cleanUp, now: () => at.ms, log, usage: async () => at };
  return { at, cleanUp, monitor: new DiskMonitor(90, deps) };
}

it.each(['bytesPercent', 'inodesPercent'] as const)(
  'is critical above the threshold of %s',
  async (figure) => {
    const { at, monitor } = stage({ freed: false });
    at[figure] = 90;
    expect(await monitor.sample()).toBe('none');
    at[figure] = 90.1;
    expect(await monitor.sample()).toBe('critical');
    at[figure] = 50;
    expect(await monitor.sample()).toBe('none');
  },
);

it('is not critical when cleaning up is enough', async () => {
  const { at, cleanUp, monitor } = stage({ freed: true });
  at.bytesPercent = 95;

  expect(await monitor.sample()).toBe('none');
  expect(cleanUp).toHaveBeenCalledOnce();
});

it('cleans up at most every ten minutes, and is critical when that fails', async () => {
  const { at, cleanUp, monitor } = stage({ freed: false });
  cleanUp.mockRejectedValue(new Error('no engine'));
  at.bytesPercent = 95;

  for (const ms of [0, 30_000, 599_999]) {
    at.ms = ms;
    expect(await monitor.sample()).toBe('critical');
  }
  expect(cleanUp).toHaveBeenCalledOnce();
  at.ms = 600_000;
  await monitor.sample();
  expect(cleanUp).toHaveBeenCalledTimes(2);
});

it('keeps its level when the disk cannot be read', async () => {
  const { at, monitor } = stage({ freed: false });
  at.bytesPercent = 95;
  await monitor.sample();
  Object.defineProperty(at, 'bytesPercent', {
    get: () => {
      throw new Error('no disk');
    },
  });

  expect(await monitor.sample()).toBe('critical');
});

it('ignores a disk of another machine', async () => {
  const { at, cleanUp, monitor } = stage({ freed: false });
  at.folder = null;
  at.bytesPercent = 95;

  expect(await monitor.sample()).toBe('none');
  expect(cleanUp).not.toHaveBeenCalled();
});

it('reads bytes and inodes of a real disk', async () => {
  const { bytesPercent, inodesPercent } = await diskUsage('/');

  expect(bytesPercent).toBeGreaterThan(0);
  expect(bytesPercent).toBeLessThanOrEqual(100);
  expect(inodesPercent).toBeGreaterThanOrEqual(0);
});
