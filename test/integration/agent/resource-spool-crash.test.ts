import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { ResourceSpool } from '../../../agent/src/resource-history/resource-spool.js';

const workspaceId = '01JZZZZZZZZZZZZZZZZZZZZZZA';
const first = 1_000;

const program = join(mkdtempSync(join(tmpdir(), 'program-')), 'publish-and-die.mjs');
beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, 'publish-and-die.ts')];
  await build({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm' });
});

/** Publishes two chunks in a process that is killed before a step on the disk. */
function publishUntil(folder: string, step: number) {
  const args = [program, folder, String(step)];
  const { stdout, stderr, signal, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr);
  return { isKilled: signal === 'SIGKILL', published: stdout.split('\n').filter(Boolean).map(Number) };
}

it('keeps every published chunk when the agent is killed before any step on the disk', async () => {
  const survived: number[] = [];
  let isKilled = true;
  for (let step = 1; isKilled; step += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'spool-'));
    const run = publishUntil(folder, step);
    isKilled = run.isKilled;
    const spool = new ResourceSpool(folder, 10_000);

    const kept = await spool.list(workspaceId);
    expect(kept).toEqual(expect.arrayContaining(run.published));
    for (const sequence of kept)
      expect(await spool.read({ workspaceId, sequence })).toBe(`chunk ${sequence}`);
    const next = await spool.publish(workspaceId, first, (sequence) => `chunk ${sequence}`);
    expect(next).toBeGreaterThan(Math.max(first - 1, ...kept, ...run.published));
    expect(readdirSync(join(folder, workspaceId))).toHaveLength(kept.length + 2);

    survived.push(step);
    rmSync(folder, { recursive: true });
  }
  expect(survived.length).toBeGreaterThan(10);
});
