import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerLimits } from '../container/container-settings.js';

/** A file of a control group, and what it contains when the limit holds. */
interface LimitFile {
  readonly path: string;
  readonly value: string;
}

/** Where this machine has control groups. */
export interface CgroupRoot {
  readonly folder: string;
  readonly version: '1' | '2';
}

const periodMicroseconds = 100_000;

/** The files with the limits of a group, in the order in which they can be written. */
export function limitFiles(
  { folder, version }: CgroupRoot,
  group: string,
  limits: ContainerLimits,
): readonly LimitFile[] {
  const { Memory, MemorySwap, NanoCpus, PidsLimit } = limits;
  const quota = Math.floor((NanoCpus / 1e9) * periodMicroseconds);
  const files: readonly (readonly [hierarchy: string, name: string, value: number | string])[] =
    version === '2'
      ? [
          ['', 'memory.max', Memory],
          ['', 'memory.swap.max', MemorySwap - Memory],
          ['', 'cpu.max', `${quota} ${periodMicroseconds}`],
          ['', 'pids.max', PidsLimit],
        ]
      : [
          ['memory', 'memory.limit_in_bytes', Memory],
          ['memory', 'memory.memsw.limit_in_bytes', MemorySwap],
          ['cpu', 'cpu.cfs_period_us', periodMicroseconds],
          ['cpu', 'cpu.cfs_quota_us', quota],
          ['pids', 'pids.max', PidsLimit],
        ];
  return files.map(([hierarchy, name, value]) => ({
    path: join(folder, hierarchy, group, name),
    value: String(value),
  }));
}

/** The kernel rounds memory down to pages. */
const pageBytes = 65_536;

/** Whether the group has all limits: only then may a builder without limits of its own use it. */
export async function hasLimits(root: CgroupRoot, group: string, limits: ContainerLimits): Promise<boolean> {
  const files = limitFiles(root, group, limits);
  const isHeld = await Promise.all(
    files.map(async ({ path, value }) => {
      const found = (await readFile(path, 'utf8').catch(() => '')).trim();
      if (found === value) return true;
      const isBytes = /\/memory\.[^/]*$/.test(path) && /^\d+$/.test(found);
      return isBytes && Number(found) <= Number(value) && Number(value) - Number(found) < pageBytes;
    }),
  );
  return isHeld.every(Boolean);
}
