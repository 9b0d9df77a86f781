import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { capturePart } from './capture-part.js';
import { SnapshotBudget } from './snapshot-budget.js';

/** A part whose content is the number of the attempt. */
function part() {
  let attempts = 0;
  return {
    artifact: 'wip' as const,
    path: join(mkdtempSync(join(tmpdir(), 'part-')), 'wip'),
    budget: new SnapshotBudget({ totalBytes: 1_000, entryBytes: 1_000, entries: 10 }),
    capture: vi.fn(async (archive: { add(name: string, content: Buffer): Promise<void> }) => {
      attempts += 1;
      await archive.add('content', Buffer.from(`attempt ${attempts}`));
      return attempts;
    }),
    check: vi.fn(async () => {}),
    use: vi.fn(async ({ path, object }: { path: string; object: { sizeBytes: number } }) => {
      expect(readFileSync(path)).toHaveLength(object.sizeBytes);
      return 'stored';
    }),
    onFailure: vi.fn(),
  };
}

it('an object is used while it is checked', async () => {
  const one = part();
  const order: string[] = [];
  one.use.mockImplementation(async () => `stored after ${order.push('use')}`);
  one.check.mockImplementation(async () => {
    await setImmediate();
    order.push('check');
  });

  expect(await capturePart(one)).toMatchObject({ captured: { content: 1 }, use: 'stored after 1' });
  expect(order).toEqual(['use', 'check']);
});

it('after a failed check the part is captured again, once the first use has ended', async () => {
  const one = part();
  const order: string[] = [];
  one.check.mockRejectedValueOnce(new Error('Files changed'));
  one.use.mockImplementation(async () => {
    order.push('begins');
    await setImmediate();
    order.push('ends');
    return 'stored';
  });

  expect(await capturePart(one)).toMatchObject({ captured: { content: 2 }, use: 'stored' });
  expect(order).toEqual(['begins', 'ends', 'begins', 'ends']);
  expect(one.onFailure).toHaveBeenCalledWith(1, new Error('Files changed'));
});

it('a part that changes three times is not captured', async () => {
  const one = part();
  one.check.mockRejectedValue(new Error('Files changed'));

  await expect(capturePart(one)).rejects.toMatchObject({ code: 'snapshot_failed' });
  expect(one.capture).toHaveBeenCalledTimes(3);
});

it('a failed use is thrown as it is, and captures nothing again', async () => {
  const one = part();
  one.use.mockRejectedValue(new Error('The store refused it'));

  await expect(capturePart(one)).rejects.toThrow('The store refused it');
  expect(one.capture).toHaveBeenCalledTimes(1);
});

it('a failed check counts more than the failed use of the same attempt', async () => {
  const one = part();
  one.use.mockRejectedValueOnce(new Error('The store refused it'));
  one.check.mockRejectedValueOnce(new Error('Files changed'));

  expect(await capturePart(one)).toMatchObject({ captured: { content: 2 }, use: 'stored' });
});

it('a part above the limit of the snapshot is not captured, and not tried again', async () => {
  const one = part();
  one.capture.mockImplementation(async (archive) => {
    await archive.add('content', randomBytes(1_100));
    return 1;
  });

  await expect(capturePart(one)).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(one.capture).toHaveBeenCalledTimes(1);
});
