import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withFileLock } from './file-lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('lets one at a time work, and releases the lock also after a failure', async () => {
  const file = join(folder, 'a.lock');
  let working = 0;
  const most: number[] = [];
  const work = async (fails: boolean) => {
    most.push(++working);
    await new Promise(setImmediate);
    working -= 1;
    if (fails) throw new Error('failed');
  };

  const results = await Promise.allSettled(
    [true, false, false].map((fails) => withFileLock(file, () => work(fails))),
  );

  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(most).toEqual([1, 1, 1]);
  expect(existsSync(file)).toBe(false);
});

it('takes over the lock of a process that has ended', async () => {
  const file = join(folder, 'a.lock');
  writeFileSync(file, JSON.stringify({ pid: process.pid, born: 'before this process' }));

  expect(await withFileLock(file, async () => 'worked')).toBe('worked');
});
