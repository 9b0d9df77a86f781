import type { Table } from '../../shared/table.js';
import { chatNotFound } from '../chats/errors.js';
import { getItems } from '../records/batch-items.js';
import { requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { type SleepInProgress, Workspace, workspaceKey } from '../workspaces/workspace.js';
import { staleOperation } from './errors.js';
import { Snapshot, type SnapshotCapture, snapshotKey } from './snapshot.js';

/** A node that calls with the callback token of a generation of the workspace. */
export interface CaptureCaller extends WorkspaceGeneration {
  readonly nodeId: string;
}

export interface Captured {
  readonly workspace: Workspace & { readonly sleep: SleepInProgress };
  readonly snapshot: Snapshot;
}

/**
 * A workspace that is captured for this chat, and its record. One table call.
 *
 * @throws {workspaceNotFound | StaleGeneration}
 * @throws {chatNotFound} another chat leads the workspace
 * @throws {staleOperation} its claim has ended
 */
export async function loadCaptured(
  table: Table,
  caller: CaptureCaller,
  { chatSessionId }: { readonly chatSessionId: string },
): Promise<Captured> {
  const keys = { workspace: workspaceKey(caller.workspaceId), snapshot: snapshotKey(caller.workspaceId) };
  const find = await getItems(table, Object.values(keys));
  const [found, record] = [find(keys.workspace), find(keys.snapshot)];
  const workspace = requireGeneration(found && Workspace.parse(found), caller);
  const snapshot = record && Snapshot.parse(record);
  return requireCaptured(workspace, snapshot, chatSessionId);
}

/** @throws {chatNotFound | staleOperation} */
export function requireCaptured(
  workspace: Workspace,
  snapshot: Snapshot | undefined,
  chatSessionId: string,
): Captured {
  if (!snapshot || snapshot.chatSessionId !== chatSessionId) throw chatNotFound();
  const { sleep } = workspace;
  if (sleep?.phase !== 'capturing') throw staleOperation();
  return { workspace: { ...workspace, sleep }, snapshot };
}

/**
 * The capture of the present claim.
 *
 * @throws {staleOperation}
 */
export function requireCapture(
  { workspace: { sleep }, snapshot: { capture } }: Captured,
  generation: number,
): SnapshotCapture {
  if (!capture || capture.generation !== generation || capture.operationId !== sleep.claimId)
    throw staleOperation();
  return capture;
}
