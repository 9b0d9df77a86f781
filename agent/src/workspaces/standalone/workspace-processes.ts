import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** In the environment of each process of a standalone workspace, and so of all they start. */
export const workspaceMark = 'SVC_WORKSPACE_ID';

const graceMs = 1_000;
const pollMs = 50;

/**
 * Ends every process of the workspace, also those that have left their terminal, first gently. Where there is no
 * /proc (macOS), terminals have been hung up already and that must do.
 */
export async function endProcesses(workspaceId: string): Promise<void> {
  const startedAt = Date.now();
  let signal: NodeJS.Signals = 'SIGTERM';
  for (;;) {
    const pids = await processesOf(workspaceId);
    if (pids.length === 0) return;
    if (Date.now() - startedAt > graceMs) signal = 'SIGKILL';
    if (Date.now() - startedAt > 10 * graceMs)
      throw new Error(`Processes of workspace ${workspaceId} do not end: ${pids.join(', ')}`);
    for (const pid of pids) send(pid, signal);
    await wait(pollMs);
  }
}

async function processesOf(workspaceId: string): Promise<number[]> {
  const pids = (await markedProcesses()).get(workspaceId) ?? [];
  const alive = await Promise.all(pids.map(async (pid) => ((await isZombie(pid)) ? null : pid)));
  return alive.filter((pid) => pid !== null);
}

/** Process ids of all standalone workspaces, in one pass over the machine. */
export async function markedProcesses(): Promise<ReadonlyMap<string, readonly number[]>> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const marks = await Promise.all(pids.map(async (pid) => ({ pid, mark: await markOf(pid) })));
  const found = new Map<string, number[]>();
  for (const { pid, mark } of marks) {
    if (mark !== undefined) found.set(mark, [...(found.get(mark) ?? []), pid]);
  }
  return found;
}

async function markOf(pid: number): Promise<string | undefined> {
  // Foreign processes cannot be read, and are not ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  const prefix = `${workspaceMark}=`;
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
