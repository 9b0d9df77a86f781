import type { Table } from '../../shared/table.js';
import { changeWorkspace } from '../workspaces/change-workspace.js';
import { type NodeLimitReached, NoRoomYet } from '../workspaces/errors.js';
import { findWorkspace, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { tellTaskToWait } from './tell-task.js';

/** The saga's step is repeated at about these intervals. */
const nextLookMs = 60_000;
const longestWaitMs = 2 * 60 * 60_000;

/**
 * A workspace for a task waits for room on its owner's nodes, where a person's own fails at once. What is returned is what
 * its placement fails with: for now, or for good.
 */
export async function awaitRoom(
  table: Table,
  life: WorkspaceGeneration,
  { full, now }: { readonly full: NodeLimitReached; readonly now: Date },
): Promise<Error> {
  const { workspaceId, generation } = life;
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace?.taskId || now.getTime() - Date.parse(workspace.createdAt) > longestWaitMs) return full;
  // So that the sweep does not take the wait for a saga that has died.
  await changeWorkspace(table, {
    workspaceId,
    set: { statusChangedAt: now.toISOString() },
    when: { equals: { generation, status: 'pending' } },
    now,
  });
  const nextRetryAt = new Date(now.getTime() + nextLookMs);
  await tellTaskToWait(table, workspace, { reason: full.message, nextRetryAt, now });
  return new NoRoomYet();
}
