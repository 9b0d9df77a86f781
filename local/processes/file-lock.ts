import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive } from './process-identity.mjs';

const pollMs = 50;

/**
 * Runs `work` while no other process, and no other call of this one, holds the file. The lock of a
 * process that was killed counts as released. Two processes that find such a lock at the same
 * moment can both work: `work` must be harmless when it runs twice.
 */
export async function withFileLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(dirname(file), { recursive: true });
  while (!take(file)) {
    if (isAbandoned(file)) rmSync(file, { force: true });
    else await delay(pollMs);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** A link appears with its content, and only where no file is. */
function take(file: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identify(process.pid)));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
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
