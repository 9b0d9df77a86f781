import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const kept = 5;

/** A new folder for what a run records; those of the last runs stay. */
export function newRunFolder(root: string): string {
  const runs = join(root, '.cache/test-runs');
  mkdirSync(runs, { recursive: true });
  const old = readdirSync(runs)
    .toSorted()
    .slice(0, 1 - kept);
  for (const name of old) rmSync(join(runs, name), { recursive: true, force: true });
  const folder = join(runs, `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${process.pid}`);
  mkdirSync(folder);
  return folder;
}
