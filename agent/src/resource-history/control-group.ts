import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readControlFile } from './control-group-files.js';
import { readVersion1 } from './control-group-v1.js';
import { readVersion2 } from './control-group-v2.js';

/** A figure is absent when the kernel does not offer it. Counters start with the container. */
export interface ControlGroupFigures {
  readonly cpuMillis?: number | undefined;
  readonly memoryBytes?: number | undefined;
  /** Without inactive file cache, which the kernel frees before it kills a process. */
  readonly memoryWorkingSetBytes?: number | undefined;
  readonly memoryPeakBytes?: number | undefined;
  /** Absent without a limit. */
  readonly memoryLimitBytes?: number | undefined;
  readonly ioReadBytes?: number | undefined;
  readonly ioWriteBytes?: number | undefined;
  readonly oom?: number | undefined;
  readonly oomKill?: number | undefined;
  readonly pidsCurrent?: number | undefined;
}

/** The control group of one container. */
export interface ControlGroup {
  readonly source: 'cgroup-v1' | 'cgroup-v2';
  /** Null when the container has ended. */
  read(): ControlGroupFigures | null;
  /** Ids of its processes on this machine, without those of groups in it. */
  processes(): number[];
}

export const controlGroupRoot = '/sys/fs/cgroup';

/**
 * Finds the control group of a running container, whichever version the kernel and whichever driver
 * the engine uses. `containerId` is the full id. Null when the container does not run.
 */
export function findControlGroup(containerId: string, root = controlGroupRoot): ControlGroup | null {
  if (!/^[0-9a-f]{64}$/.test(containerId)) return null;
  for (const path of [`docker/${containerId}`, `system.slice/docker-${containerId}.scope`]) {
    const group = join(root, path);
    if (existsSync(join(group, 'memory.current')))
      return {
        source: 'cgroup-v2',
        read: () => unlessEnded(readVersion2(group)),
        processes: () => processesOf(group),
      };
    if (existsSync(join(root, 'memory', path, 'memory.usage_in_bytes')))
      return {
        source: 'cgroup-v1',
        read: () => unlessEnded(readVersion1(root, path)),
        processes: () => processesOf(join(root, 'memory', path)),
      };
  }
  return null;
}

function processesOf(folder: string): number[] {
  const text = readControlFile(join(folder, 'cgroup.procs')) ?? '';
  return text.split('\n').filter(Boolean).map(Number);
}

const unlessEnded = (figures: ControlGroupFigures): ControlGroupFigures | null =>
  figures.memoryBytes === undefined ? null : figures;
