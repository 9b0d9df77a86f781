import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { isOutsideContainers } from './container-groups.js';

const graceMs = 1_000;
const pollMs = 50;
/** Some two milliseconds of looking. */
const processesATurn = 32;

/** The name of a variable, and its value in the processes that are meant. */
export interface ProcessMark {
  readonly name: string;
  readonly value: string;
}

/**
 * Ends every process of this machine that carries the mark in its environment, also those that have left their terminal,
 * first gently. A process in a container never counts: it may carry whatever mark it likes. Where there is no /proc (macOS), it finds none.
 */
export async function endMarkedProcesses(mark: ProcessMark): Promise<void> {
  const startedAt = performance.now();
  let signal: NodeJS.Signals = 'SIGTERM';
  for (;;) {
    const pids = await processesOf(mark);
    if (pids.length === 0) return;
    if (performance.now() - startedAt > graceMs) signal = 'SIGKILL';
    if (performance.now() - startedAt > 10 * graceMs)
      throw new Error(`Processes of ${mark.name}=${mark.value} do not end: ${pids.join(', ')}`);
    for (const pid of pids) send(pid, signal);
    await wait(pollMs);
  }
}

async function processesOf({ name, value }: ProcessMark): Promise<number[]> {
  const pids = (await markedProcesses(name)).get(value) ?? [];
  const alive = await Promise.all(pids.map(async (pid) => ((await isZombie(pid)) ? null : pid)));
  return alive.filter((pid) => pid !== null);
}

/**
 * Process ids by the value of the variable, in one pass over the machine: what carries it, and what that has started.
 * Some servers write their title over the environment that they were given. Processes of containers are left out.
 */
export async function markedProcesses(name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const seen = new Map<number, { readonly value: string | undefined; readonly parent: number }>();
  for (const pid of pids) {
    seen.set(pid, { value: markOf(pid, name), parent: parentOf(pid) });
    if (seen.size % processesATurn === 0) await nextTurn();
  }
  const found = new Map<string, number[]>();
  for (const pid of pids) {
    let at = seen.get(pid);
    while (at && at.value === undefined) at = seen.get(at.parent);
    if (at?.value !== undefined && isOutsideContainers(pid))
      found.set(at.value, [...(found.get(at.value) ?? []), pid]);
  }
  return found;
}

function parentOf(pid: number): number {
  const stat = readNow(`/proc/${pid}/stat`);
  // The name of the program before it may hold anything, brackets included.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function markOf(pid: number, name: string): string | undefined {
  const prefix = `${name}=`;
  return readNow(`/proc/${pid}/environ`)
    .split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}

/** At once: by way of promises the kernel's word costs five times as much. Foreign processes cannot be read, and are not ours. */
function readNow(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function isZombie(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tZ');
  return /^State:\s+Z/m.test(status);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile.
  }
}
