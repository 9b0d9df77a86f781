import { readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { retry } from '../../shared/retry.js';
import type { CgroupRoot } from './cgroup-limits.js';

const isInUse = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EBUSY';
const untilEmpty = { attempts: 40, firstDelayMs: 25, maxDelayMs: 250, isTransient: isInUse };

/**
 * Removes a control group in every hierarchy, as the engine makes groups for its steps in all of
 * them. Ends their processes: the engine may still start a step of a build that was ended.
 */
export async function removeGroup({ folder, version }: CgroupRoot, group: string): Promise<void> {
  const hierarchies = version === '2' ? [''] : await readdir(folder);
  const folders = hierarchies.map((hierarchy) => join(folder, hierarchy, group));
  const options = { ...untilEmpty, signal: new AbortController().signal };
  await retry(async () => {
    for (const path of folders) await removeFolder(path);
  }, options);
}

/** Its files go with a group. @throws Error while the group is in use */
async function removeFolder(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null);
  if (entries === null) return;
  for (const entry of entries) if (entry.isDirectory()) await removeFolder(join(path, entry.name));
  await endProcesses(path);
  await rmdir(path);
}

async function endProcesses(path: string): Promise<void> {
  const text = await readFile(join(path, 'cgroup.procs'), 'utf8').catch(() => '');
  // A process of another namespace has the id 0, which stands for the agent's own group.
  for (const pid of text
    .split('\n')
    .map(Number)
    .filter((found) => found > 1)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has exited.
    }
  }
}
