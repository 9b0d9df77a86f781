import type {
  PreparedSnapshot,
  PrepareSnapshot,
  SnapshotConfig,
} from '../../../protocol/snapshot-callbacks.js';
import { defaultSnapshotLimits } from '../../../protocol/snapshots.js';
import type { Table } from '../../shared/table.js';
import { requireGeneration } from '../workspaces/find-workspace.js';
import { type CaptureCaller, type Captured, requireCaptured } from './capture-call.js';
import { staleOperation } from './errors.js';
import { changeSnapshot } from './snapshot.js';
import { type LedChat, loadWorkspaceChats } from './workspace-chats.js';

const dayMs = 24 * 60 * 60_000;
/** SESSION_SNAPSHOT_TTL_DAYS */
export const snapshotTtlMs = 7 * dayMs;

export const snapshotConfig: SnapshotConfig = {
  totalBudgetBytes: defaultSnapshotLimits.totalBytes,
  entryThresholdBytes: defaultSnapshotLimits.entryBytes,
  maxEntries: defaultSnapshotLimits.entries,
  transferIdleTimeoutMs: 30_000,
};

/**
 * Begins the capture of a claim, or returns the one that it has begun. From here on a new message
 * of a chat ends the sleep. At most three table calls.
 *
 * @throws {workspaceNotFound | StaleGeneration | chatNotFound | staleOperation}
 */
export async function prepareCapture(
  table: Table,
  caller: CaptureCaller,
  { asked, now }: { readonly asked: PrepareSnapshot; readonly now: Date },
): Promise<PreparedSnapshot> {
  const { workspaceId } = caller;
  const found = await loadWorkspaceChats(table, workspaceId);
  const workspace = requireGeneration(found.workspace, caller);
  const captured = requireCaptured(workspace, found.snapshot, asked.chatSessionId);
  const { snapshot } = captured;
  if (
    captured.workspace.sleep.claimId !== asked.operationId ||
    snapshot.agentSessionId !== asked.agentSessionId
  )
    throw staleOperation();
  const { eviction } = asked;
  const generation = await beginCapture(table, { captured, chats: found.chats, eviction, now });
  const path = (artifact: string) =>
    `/api/workspaces/${workspaceId}/session-snapshot/artifacts/${artifact}/upload-url`;
  return {
    snapshotId: snapshot.snapshotId,
    generation,
    expiresAt: new Date(now.getTime() + snapshotTtlMs).toISOString(),
    config: snapshotConfig,
    directUpload: { home: path('home'), wip: path('wip') },
  };
}

interface CaptureStart {
  readonly captured: Captured;
  readonly chats: readonly LedChat[];
  readonly eviction: PrepareSnapshot['eviction'];
  readonly now: Date;
}

async function beginCapture(table: Table, { captured, chats, eviction, now }: CaptureStart): Promise<number> {
  const { workspace, snapshot } = captured;
  const { workspaceId, version, capture, captureGeneration } = snapshot;
  const operationId = workspace.sleep.claimId;
  if (capture?.operationId === operationId) return capture.generation;
  const generation = captureGeneration + 1;
  const lastSequences = Object.fromEntries(chats.map(({ chat }) => [chat.chatId, chat.lastSequence]));
  const startedAt = now.toISOString();
  const begun = { generation, operationId, startedAt, eviction, lastSequences, authorized: {} };
  // A claim increments the version too: a late call of an earlier claim writes nothing.
  const when = { equals: { version } };
  const set = { captureGeneration: generation, capture: begun };
  const outcome = await changeSnapshot(table, workspaceId, { set, when, now });
  if (outcome.changed) return generation;
  if (outcome.snapshot?.capture?.operationId === operationId) return outcome.snapshot.captureGeneration;
  throw staleOperation();
}
