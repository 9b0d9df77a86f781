import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// A process by its id and its time of birth: ids are used again, so the id alone may name a
// stranger. Plain JavaScript, as it runs before anything is installed.

export function identify(pid) {
  const born = bornAt(pid);
  return born === undefined ? undefined : { pid, born };
}

export function isAlive(identity) {
  return bornAt(identity.pid) === identity.born;
}

/** The parent of a process, or nothing when that process is gone. */
export function parentOf(pid) {
  const fields = statFields(pid);
  if (fields) return Number(fields[1]);
  const parent = ps(pid, 'ppid=');
  return parent ? Number(parent) : undefined;
}

function bornAt(pid) {
  const fields = statFields(pid);
  // A zombie has ended; it only waits to be noticed.
  if (fields) return fields[0] === 'Z' ? undefined : fields[19];
  return process.platform === 'linux' ? undefined : ps(pid, 'lstart=');
}

/** The fields of /proc/<pid>/stat after the name, which may itself hold spaces and parentheses. */
function statFields(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function ps(pid, column) {
  if (process.platform === 'linux') return undefined;
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
