import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isOutsideContainers } from '../workspaces/marked-processes.js';
import type { HarnessProcess } from './harness-process.js';

interface StopTimeouts {
  /** Wait for an exit after the end of its input. */
  readonly inputMs: number;
  /** Wait after SIGTERM. */
  readonly termMs: number;
  /** Wait after SIGKILL: a process in a system call may take a while. */
  readonly killMs: number;
}

export const stopTimeouts: StopTimeouts = { inputMs: 1_000, termMs: 5_000, killMs: 10_000 };

/** Ends the process: end of input, SIGTERM, SIGKILL. Then kills its remaining children. */
export async function endProcess(
  harness: HarnessProcess,
  timeouts: StopTimeouts = stopTimeouts,
): Promise<void> {
  harness.stdin.end();
  if (!(await hasEnded(harness, timeouts.inputMs))) {
    await harness.signal('TERM');
    await hasEnded(harness, timeouts.termMs);
  }
  await harness.signal('KILL');
  if (!(await hasEnded(harness, timeouts.killMs)))
    throw new Error('The harness is still running after SIGKILL');
}

async function hasEnded({ exited }: HarnessProcess, withinMs: number): Promise<boolean> {
  const timeouts = new AbortController();
  const late = wait(withinMs, false, { signal: timeouts.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  timeouts.abort();
  return ended;
}

const pollMs = 20;
const timeoutMs = 10_000;

/**
 * Kills every process outside of containers whose environment has an entry with this prefix, and
 * waits until none is left. Does nothing without /proc (macOS): there the process group is killed.
 */
export async function killMarkedProcesses(beginning: string): Promise<void> {
  const startedAt = Date.now();
  for (;;) {
    const pids = await markedWith(beginning);
    if (pids.length === 0) return;
    if (Date.now() - startedAt > timeoutMs)
      throw new Error(`Processes are still running after SIGKILL: ${pids.join(', ')}`);
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

/** A zombie has no environment, and processes of other users cannot be read. */
async function isMarked(pid: number, beginning: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').some((entry) => entry.startsWith(beginning)) && isOutsideContainers(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
