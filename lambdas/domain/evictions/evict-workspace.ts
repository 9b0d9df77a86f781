import type { EvictionReport } from '../../../protocol/eviction.js';
import { derivedId } from '../../shared/derived-id.js';
import type { Table } from '../../shared/table.js';
import { agentSessionChange } from '../agent-sessions/agent-session.js';
import { bootLogItem } from '../boot-log/boot-log.js';
import { chatChange } from '../chats/change-chat.js';
import { becauseOfEviction } from '../endings/because-of-eviction.js';
import type { EndedBecause } from '../endings/ended-because.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { expiryItem } from '../snapshots/expiry.js';
import { snapshotTtlMs } from '../snapshots/prepare-capture.js';
import { type Snapshot, snapshotChange } from '../snapshots/snapshot.js';
import { type LedChat, loadWorkspaceChats, type WorkspaceChats } from '../snapshots/workspace-chats.js';
import { taskEvicted } from '../tasks/sleeping-task.js';
import { nodeCallbackForbidden } from '../tokens/errors.js';
import { noSleep, noWaitingStep, workspaceChange } from '../workspaces/change-workspace.js';
import { StaleGeneration, workspaceNotFound, workspaceNotInState } from '../workspaces/errors.js';
import { requireGeneration, type WorkspaceGeneration } from '../workspaces/find-workspace.js';
import { releaseSlot } from '../workspaces/release-slot.js';
import { notPlaced, type Workspace } from '../workspaces/workspace.js';
import { isResting, isUsable } from '../workspaces/workspace-status.js';
import { containerNotStopped, evictionNotVerified } from './errors.js';
import { isOfPresent } from './eviction-generation.js';
import { evictionName, recoveryOf } from './work-in-flight.js';

interface EvictionReporter extends WorkspaceGeneration {
  readonly nodeId: string;
  readonly projectId: string;
}

interface Reported {
  readonly report: EvictionReport;
  readonly now: Date;
}

export interface EvictionOutcome {
  /** False for a repeat. */
  readonly isNew: boolean;
  /** The chats with waiting prompts, which wake the workspace. */
  readonly waiting: readonly string[];
  /** Interrupted work has to be continued. */
  readonly recovers: boolean;
}

/** Its node and the agents report until they are stopped. */
const retries = { attempts: 8, message: 'The workspace changed at the same time. Try again.' };

/**
 * The node has stopped the container of a workspace whose capture is verified. One transaction
 * moves the workspace to `evicted`, its chats and conversations to `sleeping`, and frees its place.
 * A repeat changes nothing. Three table calls, and more for a conflict.
 *
 * @throws {nodeCallbackForbidden} the report is of another node or workspace than the token
 * @throws {containerNotStopped | evictionNotVerified}
 * @throws {workspaceNotFound} also when the workspace belongs to another project
 * @throws {StaleGeneration} the workspace has ended, or the report is of an earlier container
 * @throws {workspaceNotInState} the workspace is being made or restored
 */
export async function evictWorkspace(
  table: Table,
  reporter: EvictionReporter,
  reported: Reported,
): Promise<EvictionOutcome> {
  const { workspaceId, nodeId } = reporter;
  const { report } = reported;
  if (report.workspaceId !== workspaceId || report.nodeId !== nodeId) throw nodeCallbackForbidden();
  if (!report.containerStopped) throw containerNotStopped();
  if (!report.snapshotCaptured) throw evictionNotVerified();
  const seen = await loadWorkspaceChats(table, workspaceId);
  return retryOnConflict<WorkspaceChats, EvictionOutcome>(seen, retries, (found) =>
    tryEvict(table, reporter, { ...reported, found }),
  );
}

async function tryEvict(
  table: Table,
  reporter: EvictionReporter,
  { report, found, now }: Reported & { readonly found: WorkspaceChats },
): Promise<Attempt<WorkspaceChats, EvictionOutcome>> {
  const workspace = requireGeneration(found.workspace, reporter);
  if (workspace.projectId !== reporter.projectId) throw workspaceNotFound();
  const waiting = found.chats.filter(({ chat }) => chat.queuedPrompts > 0).map(({ chat }) => chat.chatId);
  if (isRepeat(workspace, report))
    return { result: { isNew: false, waiting, recovers: workspace.recovery !== undefined } };
  requirePresent(workspace, report);
  const snapshot = requireVerified(found.snapshot, report);
  const chats = found.chats.filter(({ chat }) => chat.status === 'active');
  const recovery = recoveryOf(workspace, { report, chats, now });
  const writes = evictionWrites(workspace, { report, snapshot, chats, recovery, now });
  const { committed } = await transact(table, writes);
  if (committed) return { result: { isNew: true, waiting, recovers: recovery !== undefined } };
  return { met: await loadWorkspaceChats(table, reporter.workspaceId) };
}

const isRepeat = (
  { status, eviction, generation }: Workspace,
  { evictionGeneration }: EvictionReport,
): boolean =>
  status === 'evicted' &&
  eviction?.generation === generation &&
  eviction.evictionGeneration === evictionGeneration;

/** @throws {StaleGeneration | workspaceNotInState} */
function requirePresent(workspace: Workspace, { evictionGeneration }: EvictionReport): void {
  const { workspaceId, generation, status, deletion, wake } = workspace;
  if (deletion || isResting(status) || !isOfPresent(workspace, evictionGeneration))
    throw new StaleGeneration(workspaceId, generation);
  if (!isUsable(status) || wake) throw workspaceNotInState(status, 'Repeat the report.');
}

/**
 * The snapshot of just this eviction. Its claim may have ended since: the container is stopped.
 *
 * @throws {evictionNotVerified}
 */
function requireVerified(snapshot: Snapshot | undefined, { evictionGeneration }: EvictionReport): Snapshot {
  const { capture, snapshotGeneration, objects } = snapshot ?? {};
  const isOfThis = capture?.eviction && capture.eviction.evictionGeneration === evictionGeneration;
  if (!snapshot || !objects || !isOfThis || capture.generation !== snapshotGeneration)
    throw evictionNotVerified();
  return snapshot;
}

interface EvictedWorkspace {
  readonly report: EvictionReport;
  readonly snapshot: Snapshot;
  /** The open ones. */
  readonly chats: readonly LedChat[];
  readonly recovery: Workspace['recovery'];
  readonly now: Date;
}

function evictionWrites(workspace: Workspace, evicted: EvictedWorkspace): readonly Write[] {
  const { report, snapshot, chats, now } = evicted;
  const { workspaceId, generation } = workspace;
  const { nodeId } = report;
  const endedBecause = becauseOfEviction(report, now);
  const expiresAt = new Date(now.getTime() + snapshotTtlMs).toISOString();
  const at = now.toISOString();
  return [
    { update: workspaceEvicted(workspace, { ...evicted, endedBecause, expiresAt }) },
    {
      update: snapshotChange(workspaceId, {
        // The capture stays until the wake: a report at the same time reads it.
        set: { sleepingAt: at, snapshotExpiresAt: expiresAt, captureError: null, episode: null },
        when: { equals: { version: snapshot.version } },
        now,
      }),
    },
    { put: expiryItem({ workspaceId, expiresAt }), when: {} },
    releaseSlot({ workspaceId, generation }, { nodeId, nodeConfirmed: true, now }),
    // The sweep removes its DNS name, and repeats its recovery.
    { put: pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: at }), when: {} },
    { put: logEntry(workspace, endedBecause, now), when: {} },
    ...chats.flatMap((one) => chatWrites(one, { endedBecause, expiresAt, now })),
  ];
}

/** The last entry of the boot log of the generation. */
function logEntry(workspace: Workspace, { text: message, at: timestamp }: EndedBecause, now: Date) {
  const { workspaceId, generation } = workspace;
  const entryId = derivedId(evictionName(workspace), 'boot-log');
  const entry = { step: 'eviction', status: 'failed', message, timestamp } as const;
  return bootLogItem({ workspaceId, generation, entryId, entry }, now);
}

interface Evicted {
  readonly endedBecause: EndedBecause;
  readonly expiresAt: string;
  readonly now: Date;
}

function workspaceEvicted(
  { workspaceId, generation, version, updatedAt }: Workspace,
  { report, recovery, endedBecause, expiresAt, now }: Evicted & Pick<EvictedWorkspace, 'report' | 'recovery'>,
) {
  const { reason, nodeId } = report;
  const at = now.toISOString();
  return workspaceChange({
    workspaceId,
    move: 'evict',
    to: 'evicted',
    set: {
      ...noWaitingStep,
      ...noSleep,
      asleep: { generation, since: at, snapshotExpiresAt: expiresAt },
      eviction: { generation, evictionGeneration: report.evictionGeneration, nodeId, reason, at },
      recovery,
      endedBecause,
    },
    index: notPlaced,
    // A new agent session changes the row, and not its version.
    when: { equals: { generation, version, updatedAt }, absent: ['deletion', 'wake'] },
    now,
  });
}

/** Its session is kept as in a sleep: the next generation continues it. */
function chatWrites(led: LedChat, { endedBecause, expiresAt, now }: Evicted): readonly Write[] {
  const { chat, session } = led;
  const { agentSessionId } = session;
  return [
    {
      update: chatChange(chat.chatId, {
        set: {
          status: 'sleeping',
          snapshotExpiresAt: expiresAt,
          endedBecause,
          // Otherwise its next prompt would wait for the end of a turn that has ended.
          activity: chat.activity?.activity === 'idle' ? undefined : null,
        },
        when: { equals: { status: 'active', agentSessionId, version: chat.version } },
        now,
      }),
    },
    {
      update: agentSessionChange(session, {
        set: { endedBecause },
        when: { oneOf: { status: ['running'] } },
        now,
      }),
    },
    ...taskEvicted(led, endedBecause, now),
  ];
}
