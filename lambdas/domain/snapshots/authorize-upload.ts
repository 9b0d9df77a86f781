import type {
  SnapshotArtifact,
  SnapshotUpload,
  SnapshotUploadRequest,
} from '../../../protocol/snapshot-callbacks.js';
import type { Table } from '../../shared/table.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { type CaptureCaller, type Captured, loadCaptured, requireCapture } from './capture-call.js';
import { snapshotTooLarge, staleOperation } from './errors.js';
import { snapshotConfig } from './prepare-capture.js';
import { changeSnapshot, objectKey } from './snapshot.js';
import { type SnapshotStore, uploadOf } from './snapshot-store.js';

interface Upload {
  readonly artifact: SnapshotArtifact;
  readonly asked: SnapshotUploadRequest;
  readonly store: SnapshotStore;
}

/** The node may ask for both objects at the same time. */
const retries = { attempts: 4, message: 'The snapshot changed at the same time. Try again.' };

/**
 * A presigned address for one object of a capture. Length and hash are signed: the store accepts no
 * other content. Two table calls, and one more for each conflict.
 *
 * @throws {workspaceNotFound | StaleGeneration | chatNotFound | staleOperation | snapshotTooLarge}
 */
export async function authorizeUpload(
  table: Table,
  caller: CaptureCaller,
  upload: Upload,
): Promise<SnapshotUpload> {
  const { artifact, asked, store } = upload;
  const captured = await loadCaptured(table, caller, asked);
  await retryOnConflict(captured, retries, (current) => authorize(table, current, upload));
  const { sizeBytes, sha256 } = asked;
  return uploadOf(store, {
    key: objectKey(caller.workspaceId, asked.generation, artifact),
    sizeBytes,
    sha256,
  });
}

async function authorize(table: Table, captured: Captured, { artifact, asked, store }: Upload) {
  const capture = requireCapture(captured, asked.generation);
  const { sizeBytes, sha256 } = asked;
  const authorized = { ...capture.authorized, [artifact]: { sizeBytes, sha256 } };
  const total = Object.values(authorized).reduce((sum, one) => sum + (one?.sizeBytes ?? 0), 0);
  if (total > snapshotConfig.totalBudgetBytes) throw snapshotTooLarge(snapshotConfig.totalBudgetBytes);
  if (capture.completed) throw staleOperation();
  const { workspaceId, version } = captured.snapshot;
  const outcome = await changeSnapshot(table, workspaceId, {
    set: { capture: { ...capture, authorized } },
    when: { equals: { version } },
    now: store.now,
  });
  if (outcome.changed) return { result: undefined };
  if (!outcome.snapshot) throw staleOperation();
  return { met: { ...captured, snapshot: outcome.snapshot } };
}
