import type { Table } from '../../shared/table.js';
import { deleteItems } from '../records/batch-items.js';
import { findSnapshot, snapshotKey } from './snapshot.js';
import { deleteObjects, type SnapshotStore } from './snapshot-store.js';
import { objectKeys } from './verify-snapshot.js';

/**
 * Deletes the snapshot of a workspace that was stopped or deleted: its objects, then its record.
 * Repeatable. Two table calls, one when there is none.
 */
export async function dropSnapshot(table: Table, workspaceId: string, store: SnapshotStore): Promise<void> {
  const snapshot = await findSnapshot(table, workspaceId);
  if (!snapshot) return;
  const { oldestGeneration, captureGeneration } = snapshot;
  await deleteObjects(store, objectKeys(workspaceId, oldestGeneration, captureGeneration));
  await deleteItems(table, [snapshotKey(workspaceId)]);
}
