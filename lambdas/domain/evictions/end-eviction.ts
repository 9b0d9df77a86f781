import type { Table } from '../../shared/table.js';
import { SnapshotDegraded, SnapshotNotVerified } from '../snapshots/errors.js';
import { failSleep } from '../snapshots/fail-sleep.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';
import { type ClaimedSleep, verifySnapshot } from '../snapshots/verify-snapshot.js';

/**
 * Compares the objects of an eviction's capture with its manifest. They become the snapshot; or the
 * claim ends, and the node must not stop the workspace. Repeatable.
 *
 * @throws {SleepCancelled | SnapshotNotVerified | SnapshotDegraded}
 */
export async function verifyEviction(
  table: Table,
  claimed: ClaimedSleep,
  store: SnapshotStore,
): Promise<void> {
  try {
    await verifySnapshot(table, claimed, store);
  } catch (error) {
    const isFinal = error instanceof SnapshotNotVerified || error instanceof SnapshotDegraded;
    if (isFinal) await failEviction(table, claimed, { message: error.message, now: store.now });
    throw error;
  }
}

/** The workspace runs on. No failure of an automatic sleep is counted. Repeatable. */
export async function failEviction(
  table: Table,
  claimed: ClaimedSleep,
  { message, now }: { readonly message: string; readonly now: Date },
): Promise<void> {
  const failure = { message, isCancelled: true, isFallback: false, isUnverified: false, now };
  await failSleep(table, { ...claimed, ...failure });
}
