// biome-ignore lint/style/noRestrictedImports: this is what everybody else is to use.
import { spawn as spawnAsIs } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

const ahead = -10;
const ordinary = 0;

/**
 * The agent's own work goes before all that workspaces do: it is little, and everybody waits for it. Without the right to it,
 * or where the operator has set another priority, nothing changes.
 */
export function raiseProcessPriority(): void {
  if (getPriority() !== ordinary) return;
  try {
    setPriority(ahead);
  } catch {
    // Only root may, and it works without.
  }
}

/** A program has the priority of the thread that starts it: here, that of everybody. */
export function withNormalPriority<T>(start: () => T): T {
  if (getPriority() !== ahead) return start();
  setPriority(ordinary);
  try {
    return start();
  } finally {
    setPriority(ahead);
  }
}

/** `spawn`, for programs that are not the agent's own. */
export const spawn = ((...told: Parameters<typeof spawnAsIs>) =>
  withNormalPriority(() => spawnAsIs(...told))) as typeof spawnAsIs;
