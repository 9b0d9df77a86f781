import type { CompletedSnapshot, CompleteSnapshot } from '../../../protocol/snapshot-callbacks.js';
import type { SnapshotManifest } from '../../../protocol/snapshots.js';
import type { Table } from '../../shared/table.js';
import { retryOnConflict } from '../records/retry-on-conflict.js';
import { type CaptureCaller, type Captured, loadCaptured, requireCapture } from './capture-call.js';
import { manifestRefused, staleOperation } from './errors.js';
import { changeSnapshot, objectKey, type SnapshotCapture, type SnapshotObjects } from './snapshot.js';
import { putObject, type SnapshotStore, sha256Of } from './snapshot-store.js';

interface Completion {
  readonly asked: CompleteSnapshot;
  readonly store: SnapshotStore;
}

interface Completed {
  readonly answer: CompletedSnapshot;
  /** Of the waiting step. */
  readonly taskToken: string | undefined;
  /** The node captures to evict, and waits for the verification. */
  readonly evicts: boolean;
}

const retries = { attempts: 4, message: 'The snapshot changed at the same time. Try again.' };

/**
 * Stores the manifest of a capture. The objects become the snapshot of the workspace only after the
 * saga has verified them. A repeat with the same manifest has the same result. Two table calls.
 *
 * @throws {workspaceNotFound | StaleGeneration | chatNotFound | staleOperation}
 * @throws {manifestRefused} it names another workspace, or other objects than were authorized
 */
export async function completeCapture(
  table: Table,
  caller: CaptureCaller,
  { asked, store }: Completion,
): Promise<Completed> {
  const seen = await loadCaptured(table, caller, asked);
  const { manifest, generation } = asked;
  if (asked.operationId !== seen.workspace.sleep.claimId) throw staleOperation();
  requireOwn(manifest, seen);
  const objects = objectsIn(manifest, requireCapture(seen, generation), caller.workspaceId);
  const text = JSON.stringify(manifest);
  if (!seen.snapshot.capture?.completed) await putObject(store, objects.manifest, text);
  const { status, degradation, baseCommit } = manifest;
  const { branch, upstream } = manifest.repositories?.[0]?.trees[0] ?? {};
  const completed = { objects, status, degradation, baseCommit, baseBranch: branch, baseUpstream: upstream };
  await retryOnConflict(seen, retries, (current) =>
    record(table, { captured: current, generation, completed, now: store.now }),
  );
  const { taskToken, sleep } = seen.workspace;
  return { answer: { status, degradation }, taskToken, evicts: sleep.by === 'eviction' };
}

/** @throws {manifestRefused} */
function requireOwn(manifest: SnapshotManifest, { snapshot }: Captured): void {
  const { workspaceId, chatSessionId, agentSessionId } = snapshot;
  const own = { workspaceId, chatSessionId, agentSessionId };
  for (const name of ['workspaceId', 'chatSessionId', 'agentSessionId'] as const)
    if (manifest[name] !== own[name]) throw manifestRefused(name, `Must be ${own[name]}.`);
}

/** @throws {manifestRefused} */
function objectsIn(
  manifest: SnapshotManifest,
  { generation, authorized }: SnapshotCapture,
  workspaceId: string,
): SnapshotObjects {
  const stored = (artifact: 'home' | 'wip') => {
    const named = manifest.artifacts[artifact];
    if (!named) return null;
    const given = authorized[artifact];
    if (given?.sizeBytes !== named.sizeBytes || given.sha256 !== named.sha256)
      throw manifestRefused(`artifacts.${artifact}`, 'Must have the size and hash of its upload address.');
    return { key: objectKey(workspaceId, generation, artifact), ...given };
  };
  const text = JSON.stringify(manifest);
  const key = objectKey(workspaceId, generation, 'manifest');
  const sizeBytes = Buffer.byteLength(text);
  return { manifest: { key, sizeBytes, sha256: sha256Of(text) }, home: stored('home'), wip: stored('wip') };
}

interface CompletionRecord {
  readonly captured: Captured;
  readonly generation: number;
  readonly completed: NonNullable<SnapshotCapture['completed']>;
  readonly now: Date;
}

async function record(table: Table, { captured, generation, completed, now }: CompletionRecord) {
  const capture = requireCapture(captured, generation);
  const known = capture.completed?.objects.manifest.sha256;
  if (known === completed.objects.manifest.sha256) return { result: undefined };
  // The saga may have read the first manifest.
  if (known !== undefined) throw staleOperation();
  const { workspaceId, version } = captured.snapshot;
  const set = { capture: { ...capture, completed } };
  const outcome = await changeSnapshot(table, workspaceId, { set, when: { equals: { version } }, now });
  if (outcome.changed) return { result: undefined };
  if (!outcome.snapshot) throw staleOperation();
  return { met: { ...captured, snapshot: outcome.snapshot } };
}
