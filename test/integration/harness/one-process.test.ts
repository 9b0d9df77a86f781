import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inOneProcess } from '../../support/one-process.js';

const path = join(mkdtempSync(join(tmpdir(), 'one-process-')), 'installed');

it('does one work after the other, and frees the lock after a failure', async () => {
  const order: string[] = [];
  const work = (name: string) =>
    inOneProcess(path, async () => {
      order.push(`${name} begins`);
      // The other call tries to take the lock in this turn.
      await nextTurn();
      order.push(`${name} ends`);
      if (name === 'one') throw new Error('one fails');
    });

  const [one, two] = await Promise.allSettled([work('one'), work('two')]);

  expect([one.status, two.status]).toEqual(['rejected', 'fulfilled']);
  expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

it('takes over the lock of a process that has ended', async () => {
  const { pid } = spawnSync('true');
  symlinkSync(String(pid), `${path}.lock`);

  expect(await inOneProcess(path, async () => 'done')).toBe('done');
});
