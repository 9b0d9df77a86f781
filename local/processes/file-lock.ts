import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-identity.mjs';
import { takeFile } from './take-file.mjs';

const pollMs = 50;

/**
 * Runs `work` while no other process, and no other call of this one, holds the file. The lock of a
 * process that was killed counts as released. Two processes that find such a lock at the same
 * moment can both work: `work` must be harmless when it runs twice.
 */
export async function withFileLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(file), { recursive: true });
  while (!takeFile(file)) {
    if (isAbandoned(file)) rmSync(file, { force: true });
    else await delay(pollMs);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function isAbandoned(file: string): boolean {
  try {
    return !isAlive(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Its owner has just released it.
    return false;
  }
}
