import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll } from 'vitest';
import { findLeftovers, type Leftover, Leftovers } from './leftovers/leftovers.js';

/** A process that was sent a signal needs a moment to end. */
const endWithinMs = Number(process.env.BERTH_LEFTOVERS_WITHIN_MS ?? 10_000);
const isLinux = process.platform === 'linux';

/**
 * Each test file has a temporary folder of its own, which marks all that it starts and is removed
 * with all that is in it. After the file's own hooks, nothing else may be left.
 */
process.env.BERTH_TEST_TMPDIR ??= tmpdir();
const folder = mkdtempSync(join(process.env.BERTH_TEST_TMPDIR, 'f-'));
process.env.TMPDIR = folder;
const before = new Set(isLinux ? (await findLeftovers(folder, new Set())).map(({ name }) => name) : []);

afterAll(async () => {
  const left = isLinux ? await remaining() : [];
  for (const leftover of left) await leftover.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (left.length > 0) throw new Leftovers(left);
}, 60_000);

async function remaining(): Promise<readonly Leftover[]> {
  const deadline = Date.now() + endWithinMs;
  for (;;) {
    const left = await findLeftovers(folder, before);
    if (left.length === 0 || Date.now() > deadline) return left;
    await delay(50);
  }
}
