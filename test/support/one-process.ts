import { mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const pauseMs = 100;

/**
 * Does the work while no other test process does work on the same path. The lock is a link to the
 * id of the process that holds it; one of a process that has ended is taken over.
 */
export async function inOneProcess<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  mkdirSync(dirname(lock), { recursive: true });
  while (!take(lock)) await wait(pauseMs);
  try {
    return await work();
  } finally {
    rmSync(lock);
  }
}

function take(lock: string): boolean {
  try {
    symlinkSync(String(process.pid), lock);
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (hasEnded(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function hasEnded(lock: string): boolean {
  try {
    process.kill(Number(readlinkSync(lock)), 0);
    return false;
  } catch (error) {
    // Of the process, not of a lock that is free by now.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
