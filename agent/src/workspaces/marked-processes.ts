import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

const graceMs = 1_000;
const pollMs = 50;
/** About two milliseconds of work. */
const processesATurn = 32;

/** Name and value of an environment variable. */
interface ProcessMarker {
  readonly name: string;
  readonly value: string;
}

/**
 * Ends every process of this machine with the marker in its environment, also those that left their
 * terminal: first SIGTERM, then SIGKILL. Processes in containers do not count, as they can set any
 * marker. Finds none without /proc (macOS).
 */
export async function endMarkedProcesses(marker: ProcessMarker): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const pids = await processesOf(marker);
    if (pids.length === 0) return;
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > 10 * graceMs)
      throw new Error(`Processes with ${marker.name}=${marker.value} did not exit: ${pids.join(', ')}`);
    sendAll(pids, elapsedMs > graceMs ? 'SIGKILL' : 'SIGTERM');
    await wait(pollMs);
  }
}

async function processesOf({ name, value }: ProcessMarker): Promise<number[]> {
  const pids = (await markedProcesses(name)).get(value) ?? [];
  const alive = await Promise.all(pids.map(async (pid) => ((await isZombie(pid)) ? null : pid)));
  return alive.filter((pid) => pid !== null);
}

/**
 * Process ids by value of the variable, in one pass: processes with the variable and their
 * descendants, because some servers write their title over their environment. Without processes in
 * containers.
 */
async function markedProcesses(name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const processes = await readProcesses(name);
  const found = new Map<string, number[]>();
  for (const pid of processes.keys()) {
    const value = inheritedMarker(processes, pid);
    if (value !== undefined && isOutsideContainers(pid)) found.set(value, [...(found.get(value) ?? []), pid]);
  }
  return found;
}

type Processes = ReadonlyMap<number, { readonly value: string | undefined; readonly parent: number }>;

/** All processes but the agent, with the value of the variable. */
async function readProcesses(name: string): Promise<Processes> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const processes = new Map<number, { readonly value: string | undefined; readonly parent: number }>();
  for (const pid of pids) {
    processes.set(pid, { value: markerOf(pid, name), parent: parentOf(pid) });
    if (processes.size % processesATurn === 0) await nextTurn();
  }
  return processes;
}

/** The value of the process, or of its nearest ancestor that has one. */
function inheritedMarker(processes: Processes, pid: number): string | undefined {
  let at = processes.get(pid);
  while (at && at.value === undefined) at = processes.get(at.parent);
  return at?.value;
}

function parentOf(pid: number): number {
  const stat = readNow(`/proc/${pid}/stat`);
  // The program name before it may contain any character, brackets too.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function markerOf(pid: number, name: string): string | undefined {
  const prefix = `${name}=`;
  return readNow(`/proc/${pid}/environ`)
    .split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}

/**
 * Synchronous: through promises a read takes five times as long. Processes of other users cannot be
 * read and do not count.
 */
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

function sendAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has exited.
    }
  }
}

/**
 * Environment variable of each process of a standalone workspace: the workspace's folder. Several
 * nodes share a laptop, and a workspace that woke on another node has the same id there.
 */
export const workspaceMarker = 'SVC_WORKSPACE_FOLDER';

/** Ends every process of the workspace. Without /proc only its terminals have ended. */
export async function endWorkspaceProcesses(folder: string): Promise<void> {
  await endMarkedProcesses({ name: workspaceMarker, value: folder });
}

/** Process ids of the workspaces in this folder by workspace id, in one pass. */
export async function workspaceProcesses(baseDir: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = [...(await markedProcesses(workspaceMarker))];
  return new Map(
    found
      .filter(([folder]) => dirname(folder) === resolve(baseDir))
      .map(([folder, pids]) => [basename(folder), pids] as const),
  );
}

/** Engines use ids of this form in the names of control groups. */
const containerId = /[0-9a-f]{64}/g;

/** Id of the container of a process with this `/proc/<pid>/cgroup`; null: none. */
export function containerOf(groups: string): string | null {
  return groups.match(containerId)?.at(-1) ?? null;
}

/**
 * Whether the process is in no container, or in the same one as the agent. A process cannot choose
 * its control group as it can choose its environment.
 */
export function isOutsideContainers(pid: number): boolean {
  return containerAt(`/proc/${pid}/cgroup`) === containerAt('/proc/self/cgroup');
}

function containerAt(path: string): string | null {
  try {
    return containerOf(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
