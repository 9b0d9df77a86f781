import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isOutsideContainers } from '../../workspaces/marked-processes.js';
import type { HarnessProcess } from './harness-process.js';

interface EndPatience {
  /** For an orderly end after the end of its input. */
  readonly inputMs: number;
  /** After TERM. */
  readonly termMs: number;
  /** After KILL: a process in the kernel's hands may take a while. */
  readonly killMs: number;
}

export const endPatience: EndPatience = { inputMs: 1_000, termMs: 5_000, killMs: 10_000 };

/** End of input, TERM, KILL; then whatever it left behind is killed too. Settles once it is gone. */
export async function endProcess(
  harness: HarnessProcess,
  patience: EndPatience = endPatience,
): Promise<void> {
  harness.stdin.end();
  if (!(await hasEnded(harness, patience.inputMs))) {
    await harness.signal('TERM');
    await hasEnded(harness, patience.termMs);
  }
  await harness.signal('KILL');
  if (!(await hasEnded(harness, patience.killMs))) throw new Error('The harness does not end');
}

async function hasEnded({ exited }: HarnessProcess, withinMs: number): Promise<boolean> {
  const patience = new AbortController();
  const late = wait(withinMs, false, { signal: patience.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  patience.abort();
  return ended;
}

const pollMs = 20;
const patienceMs = 10_000;

/**
 * Kills every process of this machine, outside of containers, that has an entry with this beginning in its environment,
 * and waits until none is left. Where there is no /proc (macOS), the process group must do.
 */
export async function endMarked(beginning: string): Promise<void> {
  const startedAt = Date.now();
  for (;;) {
    const pids = await markedWith(beginning);
    if (pids.length === 0) return;
    if (Date.now() - startedAt > patienceMs) throw new Error(`Processes do not end: ${pids.join(', ')}`);
    for (const pid of pids) kill(pid);
    await wait(pollMs);
  }
}

async function markedWith(beginning: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const found = await Promise.all(pids.map(async (pid) => ((await isMarked(pid, beginning)) ? pid : null)));
  return found.filter((pid) => pid !== null);
}

/** A zombie has no environment any more; foreign processes cannot be read, and are not ours. */
async function isMarked(pid: number, beginning: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').some((entry) => entry.startsWith(beginning)) && isOutsideContainers(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}
