import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const graceMs = 1_000;
const pollMs = 50;

/** The name of a variable, and its value in the processes that are meant. */
export interface ProcessMark {
  readonly name: string;
  readonly value: string;
}

/**
 * Ends every process that carries the mark in its environment, also those that have left their terminal, first
 * gently. Where there is no /proc (macOS), it finds none.
 */
export async function endMarkedProcesses(mark: ProcessMark): Promise<void> {
  const startedAt = Date.now();
  let signal: NodeJS.Signals = 'SIGTERM';
  for (;;) {
    const pids = await processesOf(mark);
    if (pids.length === 0) return;
    if (Date.now() - startedAt > graceMs) signal = 'SIGKILL';
    if (Date.now() - startedAt > 10 * graceMs)
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
 * Some servers write their title over the environment that they were given.
 */
export async function markedProcesses(name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const looked = await Promise.all(
    pids.map(async (pid) => [pid, { value: await markOf(pid, name), parent: await parentOf(pid) }] as const),
  );
  const seen = new Map(looked);
  const found = new Map<string, number[]>();
  for (const pid of pids) {
    let at = seen.get(pid);
    while (at && at.value === undefined) at = seen.get(at.parent);
    if (at?.value !== undefined) found.set(at.value, [...(found.get(at.value) ?? []), pid]);
  }
  return found;
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program before it may hold anything, brackets included.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

async function markOf(pid: number, name: string): Promise<string | undefined> {
  // Foreign processes cannot be read, and are not ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const prefix = `${name}=`;
  return environment
    .split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
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
