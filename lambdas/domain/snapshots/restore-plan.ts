import type { RestorePlan } from '../../../protocol/snapshot-callbacks.js';
import { SnapshotManifest } from '../../../protocol/snapshots.js';
import type { Table } from '../../shared/table.js';
import { getItems } from '../records/batch-items.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import { Workspace, workspaceKey } from '../workspaces/workspace.js';
import type { CaptureCaller } from './capture-call.js';
import { snapshotConfig } from './prepare-capture.js';
import { Snapshot, snapshotKey } from './snapshot.js';
import { downloadOf, readObject, type SnapshotStore, sha256Of } from './snapshot-store.js';

const missing: RestorePlan = { available: false, reason: 'snapshot_missing_or_unavailable' };

/**
 * What a workspace that wakes restores. One table call.
 *
 * @throws {workspaceNotFound | StaleGeneration}
 */
export async function planRestore(
  table: Table,
  caller: CaptureCaller,
  { chatSessionId, store }: { readonly chatSessionId: string; readonly store: SnapshotStore },
): Promise<RestorePlan> {
  const keys = { workspace: workspaceKey(caller.workspaceId), snapshot: snapshotKey(caller.workspaceId) };
  const find = await getItems(table, Object.values(keys));
  const [found, record] = [find(keys.workspace), find(keys.snapshot)];
  const workspace = requireGeneration(found && Workspace.parse(found), caller);
  const snapshot = record && Snapshot.parse(record);
  if (!workspace.wake || snapshot?.chatSessionId !== chatSessionId) return missing;
  return planOf(snapshot, store);
}

async function planOf(snapshot: Snapshot, store: SnapshotStore): Promise<RestorePlan> {
  const { status, degradation, objects, snapshotId } = snapshot;
  if (!objects || (status !== 'available' && status !== 'degraded')) return missing;
  const text = await readObject(store, objects.manifest.key);
  if (sha256Of(text) !== objects.manifest.sha256) return missing;
  const { home, wip } = objects;
  return {
    available: true,
    ...{ snapshotId, status, degradation },
    manifest: SnapshotManifest.parse(JSON.parse(text)),
    config: snapshotConfig,
    download: {
      home: home && (await downloadOf(store, home)),
      wip: wip && (await downloadOf(store, wip)),
    },
  };
}
