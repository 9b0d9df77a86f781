import { readFileSync } from 'node:fs';

/** Engines name the control groups of containers by ids of this form, whatever stands around it. */
const containerId = /[0-9a-f]{64}/g;

/** Id of the container that a process with this `/proc/<pid>/cgroup` is in; null: in none. */
export function containerOf(groups: string): string | null {
  return groups.match(containerId)?.at(-1) ?? null;
}

/**
 * Whether the process is of this machine as the agent is, and not of a container. A process cannot choose its control
 * group, as it can its environment. The agent itself may be in a container, with all that it starts.
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
