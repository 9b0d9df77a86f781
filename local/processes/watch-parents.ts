import { readFileSync } from 'node:fs';
import { identify, isAlive, type ProcessIdentity, parentOf } from './process-identity.mjs';

const intervalMs = 1_000;

/**
 * Calls `onGone` once when this process's launcher, or the npm that ran the launcher, has ended
 * without a word: a killed parent sends no signal, and whatever it started must not live on.
 */
export function watchParents(launcherPid: number | undefined, onGone: () => void): Disposable {
  const watched = [
    process.ppid,
    ...(launcherPid === undefined ? [] : [launcherPid, ...npmAbove(launcherPid)]),
  ]
    .map(identify)
    .filter((identity): identity is ProcessIdentity => identity !== undefined);
  const timer = setInterval(() => {
    if (watched.every(isAlive)) return;
    clearInterval(timer);
    onGone();
  }, intervalMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** npm runs a script through a shell, which may or may not stay between the two. */
function npmAbove(launcherPid: number): number[] {
  if (process.env.npm_lifecycle_event === undefined) return [];
  const parent = parentOf(launcherPid);
  if (parent === undefined || parent <= 1) return [];
  const above = isShell(parent) ? parentOf(parent) : undefined;
  return above === undefined || above <= 1 ? [parent] : [parent, above];
}

function isShell(pid: number): boolean {
  try {
    return /^(?:ba|da|z)?sh\s*$/.test(readFileSync(`/proc/${pid}/comm`, 'utf8'));
  } catch {
    return false;
  }
}
