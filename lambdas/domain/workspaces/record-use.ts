import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';

/** A use within this time of the last one is not written. */
const coalescedMs = 50_000;

interface Use {
  /** Only workspaces of this node. */
  readonly nodeId: string;
  readonly workspaceIds: readonly string[];
  readonly now: Date;
}

/**
 * Stores that people use workspaces of a node. It changes `updatedAt`, which a concurrent sleep or
 * stop for want of use has as its condition. One table call for each workspace.
 */
export async function recordUse(table: Table, { nodeId, workspaceIds, now }: Use): Promise<void> {
  const lastUsedAt = new Date(now.getTime() - coalescedMs).toISOString();
  const when = { equals: { nodeId }, absentOrBefore: { lastUsedAt } } as const;
  const set = { lastUsedAt: now.toISOString() };
  // Clients see the time when they read the workspace.
  const write = (workspaceId: string) =>
    changeWorkspace(table, { workspaceId, set, when, isInternal: true, now });
  await Promise.all(workspaceIds.map(write));
}
