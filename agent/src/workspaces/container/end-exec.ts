import { readdir, readFile } from 'node:fs/promises';
import type Docker from 'dockerode';

/**
 * Kills the process of a command and its descendants from the node. Does nothing where the agent
 * does not see the processes of containers, or may not end them.
 */
export async function endExec(exec: Docker.Exec): Promise<void> {
  const { Running, Pid, ContainerID } = await exec.inspect();
  if (!Running || Pid === 0) return;
  // All are found before the first is killed: a killed process no longer has children.
  for (const pid of await familyOf(Pid)) if (await isIn(ContainerID, pid)) kill(pid);
}

/** The process and its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const found = [pid];
  for (const parent of found) found.push(...(await childrenOf(parent)));
  return found;
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const children = await Promise.all(threads.map((id) => readProcess(`${pid}/task/${id}/children`)));
  return children.flatMap((ids) => ids.split(' ').filter(Boolean).map(Number));
}

/** The id may belong to another process by now. No process can leave the group of its container. */
async function isIn(containerId: string, pid: number): Promise<boolean> {
  return (await readProcess(`${pid}/cgroup`)).includes(containerId);
}

/** Empty when the process has ended. */
const readProcess = (path: string): Promise<string> => readFile(`/proc/${path}`, 'utf8').catch(() => '');

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, or the agent may not.
  }
}
