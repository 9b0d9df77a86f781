import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly command: string;
}

/** The bundler's helper has no end of its own: it ends with the worker, which closes its input. */
const endsWithItsParent = /\/esbuild --service=/;

/**
 * Processes that a test file started: the descendants of its worker, and those that name its
 * temporary folder in their environment, command line or working folder, as a process keeps these
 * when its parent ends.
 */
export function ownProcesses(worker: number, folder: string): readonly Process[] {
  const parents = parentsOfAll();
  const isDescendant = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === worker || isDescendant(parent));
  };
  return [...parents.keys()]
    .filter((pid) => pid !== worker && (isDescendant(pid) || names(pid, folder)))
    .map((pid) => ({ pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
    .filter(({ command }) => command !== '' && !endsWithItsParent.test(command));
}

/** Of processes that run; one that has ended, but that no one waits for, runs no more. */
function parentsOfAll(): ReadonlyMap<number, number> {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return new Map(
    pids.flatMap((pid) => {
      // The name of the program is in brackets and can hold anything.
      const [, state, parent] = /^\d+ \(.*\) (\S) (\d+)/s.exec(read(pid, 'stat')) ?? [];
      return parent === undefined || state === 'Z' ? [] : [[pid, Number(parent)] as const];
    }),
  );
}

function names(pid: number, folder: string): boolean {
  return (
    read(pid, 'environ').includes(folder) ||
    read(pid, 'cmdline').includes(folder) ||
    workingFolder(pid).startsWith(folder)
  );
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // The process has ended, or is another user's.
  }
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
