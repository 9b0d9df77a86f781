import { SnapshotManifest } from '../../../protocol/snapshots.js';
import type { Table } from '../../shared/table.js';
import type { WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { SleepCancelled, SnapshotDegraded, SnapshotNotVerified } from './errors.js';
import { changeSnapshot, objectKey, type Snapshot, type SnapshotCapture } from './snapshot.js';
import { deleteObjects, readObject, requireObjects, type SnapshotStore, sha256Of } from './snapshot-store.js';
import { type LedChat, loadWorkspaceChats } from './workspace-chats.js';

export interface ClaimedSleep extends WorkspaceGeneration {
  readonly claimId: string;
}

interface CompletedCapture extends SnapshotCapture {
  readonly completed: NonNullable<SnapshotCapture['completed']>;
}

/**
 * Compares the stored objects with the manifest; then they replace those of the earlier snapshot.
 * Repeatable. Four table calls.
 *
 * @throws {SleepCancelled} the claim has ended
 * @throws {SnapshotNotVerified} an object is missing or differs: the earlier snapshot stays
 * @throws {SnapshotDegraded} the snapshot is stored, and the workspace must not sleep on it
 */
export async function verifySnapshot(
  table: Table,
  { workspaceId, generation, claimId }: ClaimedSleep,
  store: SnapshotStore,
): Promise<void> {
  const { workspace, snapshot, chats } = await loadWorkspaceChats(table, workspaceId);
  if (workspace?.generation !== generation || workspace.sleep?.claimId !== claimId || !snapshot)
    throw new SleepCancelled();
  const capture = completedCapture(snapshot, claimId);
  const manifest = await requireManifestAndObjects(store, { snapshot, capture, chats });
  const isDegraded = manifest.status === 'degraded';
  if (isDegraded && !isBetter(capture, snapshot)) throw new SnapshotDegraded(manifest);
  await replaceObjects(table, snapshot, { capture, store });
  if (isDegraded) throw new SnapshotDegraded(manifest);
}

/** @throws {SnapshotNotVerified} */
function completedCapture({ capture }: Snapshot, claimId: string): CompletedCapture {
  const { completed } = capture ?? {};
  if (!capture || !completed || capture.operationId !== claimId)
    throw new SnapshotNotVerified('The node reported no manifest.');
  return { ...capture, completed };
}

/** A capture without commits does not replace a snapshot that has some. */
const isBetter = ({ generation, completed }: CompletedCapture, snapshot: Snapshot): boolean =>
  completed.objects.wip !== null ||
  snapshot.objects?.wip == null ||
  snapshot.snapshotGeneration === generation;

interface Stored {
  readonly snapshot: Snapshot;
  readonly capture: CompletedCapture;
  readonly chats: readonly LedChat[];
}

/** @throws {SnapshotNotVerified} */
async function requireManifestAndObjects(
  store: SnapshotStore,
  { snapshot, capture, chats }: Stored,
): Promise<SnapshotManifest> {
  const { objects } = capture.completed;
  await requireObjects(store, objects);
  const text = await readObject(store, objects.manifest.key);
  if (sha256Of(text) !== objects.manifest.sha256)
    throw new SnapshotNotVerified('The stored manifest has another hash than the reported one.');
  const manifest = SnapshotManifest.parse(JSON.parse(text));
  requireManifest(manifest, { snapshot, capture, chats });
  return manifest;
}

/** @throws {SnapshotNotVerified} */
function requireManifest(manifest: SnapshotManifest, { snapshot, capture, chats }: Stored): void {
  const { status, objects } = capture.completed;
  const { home, wip } = manifest.artifacts;
  const isSame =
    manifest.workspaceId === snapshot.workspaceId &&
    manifest.status === status &&
    home?.sha256 === objects.home?.sha256 &&
    wip?.sha256 === objects.wip?.sha256;
  if (!isSame) throw new SnapshotNotVerified('The stored manifest differs from the reported one.');
  const captured = new Set(manifest.sessions.map(({ agentSessionId }) => agentSessionId));
  const missing = chats.filter(
    ({ chat }) => chat.status === 'active' && !captured.has(chat.agentSessionId ?? ''),
  );
  if (missing.length > 0)
    throw new SnapshotNotVerified(`The manifest lacks ${missing.length} agent sessions of the workspace.`);
}

interface Replacement {
  readonly capture: CompletedCapture;
  readonly store: SnapshotStore;
}

async function replaceObjects(
  table: Table,
  snapshot: Snapshot,
  { capture, store }: Replacement,
): Promise<void> {
  const { workspaceId, version, snapshotGeneration, oldestGeneration } = snapshot;
  const { generation, startedAt, completed } = capture;
  const { now } = store;
  if (snapshotGeneration === generation) return;
  const set = { ...completed, capturedAt: startedAt, snapshotGeneration: generation, captureError: null };
  const outcome = await changeSnapshot(table, workspaceId, { set, when: { equals: { version } }, now });
  if (!outcome.changed) throw new SleepCancelled();
  await deleteObjects(store, objectKeys(workspaceId, oldestGeneration, generation - 1));
  const when = { equals: { snapshotGeneration: generation } };
  await changeSnapshot(table, workspaceId, { set: { oldestGeneration: generation }, when, now });
}

/** The names of all objects that captures `first` to `last` can have stored. */
export const objectKeys = (workspaceId: string, first: number, last: number): readonly string[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index).flatMap((generation) =>
    (['home', 'wip', 'manifest'] as const).map((object) => objectKey(workspaceId, generation, object)),
  );
