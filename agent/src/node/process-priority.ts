// biome-ignore lint/style/noRestrictedImports: all other files use the spawn of this file.
import { spawn as spawnAsIs } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

const raised = -10;
const normal = 0;

/**
 * Raises the priority of the agent above all programs of workspaces: its work is small, and
 * everything waits for it. Does nothing without the permission, or when the operator has set a
 * priority.
 */
export function raiseProcessPriority(): void {
  if (getPriority() !== normal) return;
  try {
    setPriority(raised);
  } catch {
    // Only root may raise a priority; the agent works without it.
  }
}

/** A program inherits the priority of the thread that starts it. */
export function withNormalPriority<T>(start: () => T): T {
  if (getPriority() !== raised) return start();
  setPriority(normal);
  try {
    return start();
  } finally {
    setPriority(raised);
  }
}

/** `spawn` with normal priority. */
export const spawn = ((...args: Parameters<typeof spawnAsIs>) =>
  withNormalPriority(() => spawnAsIs(...args))) as typeof spawnAsIs;
