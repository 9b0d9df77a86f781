import type { Table } from '../../shared/table.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { SleepCancelled, SnapshotNotVerified } from './errors.js';
import { findSnapshot } from './snapshot.js';
import { requireObjects, type SnapshotStore } from './snapshot-store.js';
import type { ClaimedSleep } from './verify-snapshot.js';

/**
 * Compares the objects of the recovery point with their record before the workspace sleeps on it:
 * they were verified when they were captured, up to seven days ago. Changes nothing. Two table
 * calls.
 *
 * @throws {SleepCancelled} the claim has ended
 * @throws {SnapshotNotVerified} an object is missing or differs
 */
export async function verifyRecoveryPoint(
  table: Table,
  { workspaceId, generation, claimId }: ClaimedSleep,
  store: SnapshotStore,
): Promise<void> {
  const [workspace, snapshot] = await Promise.all([
    findWorkspace(table, workspaceId),
    findSnapshot(table, workspaceId),
  ]);
  if (workspace?.generation !== generation || workspace.sleep?.claimId !== claimId)
    throw new SleepCancelled();
  if (!snapshot?.objects) throw new SnapshotNotVerified('The workspace has no recovery point.');
  await requireObjects(store, snapshot.objects);
}
