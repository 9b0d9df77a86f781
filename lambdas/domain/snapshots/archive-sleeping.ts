import type { Table } from '../../shared/table.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from '../workspaces/change-workspace.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import type { Workspace } from '../workspaces/workspace.js';
import { hasOnlySnapshot } from '../workspaces/workspace-status.js';
import { dropSnapshot } from './drop-snapshot.js';
import { clearExpiry, type SnapshotExpiry } from './expiry.js';
import type { SnapshotStore } from './snapshot-store.js';

/**
 * Claims the deletion of a workspace whose snapshot expired, if it still sleeps on that snapshot.
 * The stream archives its chats, and the next sweep starts the deletion. Repeatable. At most five
 * table calls.
 */
export async function archiveSleeping(
  table: Table,
  expiry: SnapshotExpiry,
  store: SnapshotStore,
): Promise<boolean> {
  const { workspaceId } = expiry;
  const { now } = store;
  const workspace = await findWorkspace(table, workspaceId);
  // A failed wake goes back to sleep on the same snapshot.
  if (workspace?.wake) return false;
  const isExpired = workspace !== undefined && sleepsOn(workspace, expiry);
  // A message came first: the next sweep reads the workspace again.
  if (isExpired && !(await claimExpired(table, workspace, now))) return false;
  if (isExpired || workspace?.deletion?.isExpired) await dropSnapshot(table, workspaceId, store);
  await clearExpiry(table, expiry);
  return isExpired;
}

const sleepsOn = ({ status, sleep, asleep }: Workspace, { expiresAt }: SnapshotExpiry): boolean =>
  hasOnlySnapshot(status) && !sleep && asleep?.snapshotExpiresAt === expiresAt;

async function claimExpired(
  table: Table,
  { workspaceId, generation, version }: Workspace,
  now: Date,
): Promise<boolean> {
  const { committed } = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'claimDeletion',
        to: 'stopping',
        set: { deletion: { attempt: 1, claimedAt: now.toISOString(), isExpired: true } },
        when: { equals: { generation, version }, absent: ['deletion'] },
        now,
      }),
    },
    {
      put: pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: now.toISOString() }),
      when: {},
    },
  ]);
  return committed;
}
