import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import { type Ending, ended, endings } from '../endings/endings.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact, type Write } from '../records/transact.js';
import { taskSleeps } from '../tasks/sleeping-task.js';
import { noWaitingStep, workspaceChange } from '../workspaces/change-workspace.js';
import type { SleepInProgress, Workspace } from '../workspaces/workspace.js';
import { SleepCancelled } from './errors.js';
import { expiryItem } from './expiry.js';
import { snapshotTtlMs } from './prepare-capture.js';
import { type Snapshot, snapshotChange } from './snapshot.js';
import type { ClaimedSleep } from './verify-snapshot.js';
import { isChatBusy, type LedChat, loadWorkspaceChats, type WorkspaceChats } from './workspace-chats.js';

interface SleepBeginning extends ClaimedSleep {
  /** It sleeps on the Git recovery point of an earlier capture. */
  readonly isFallback: boolean;
  readonly now: Date;
}

const retries = { attempts: 5, message: 'The workspace changed at the same time.' };

/**
 * One transaction moves the workspace, its chats and conversations to `sleeping`, if no message
 * came since the capture began. From here on prompts wait. Repeatable. Three table calls, and more
 * for a conflict.
 *
 * @throws {SleepCancelled}
 */
export async function beginSleep(table: Table, sleep: SleepBeginning): Promise<void> {
  const seen = await loadWorkspaceChats(table, sleep.workspaceId);
  await retryOnConflict<WorkspaceChats, undefined>(seen, retries, (found) => tryBegin(table, sleep, found));
}

async function tryBegin(
  table: Table,
  sleep: SleepBeginning,
  { workspace, snapshot, chats }: WorkspaceChats,
): Promise<Attempt<WorkspaceChats, undefined>> {
  const { workspaceId, generation, claimId } = sleep;
  const claim = workspace?.sleep;
  if (!workspace || workspace.generation !== generation || claim?.claimId !== claimId || !snapshot)
    throw new SleepCancelled();
  if (claim.phase === 'stopping') return { result: undefined };
  const active = chats.filter(({ chat }) => chat.status === 'active');
  requireUnused(workspace, claim);
  requireUnchanged(active, snapshot, sleep);
  const { committed } = await transact(table, [
    ...sleepWrites(workspace, { snapshot, claim, now: sleep.now }),
    ...active.map((one) => chatSleeps(one, endingOf(claim), sleep.now)),
    ...active.flatMap((one) => taskSleeps(one, sleep.now)),
  ]);
  if (committed) return { result: undefined };
  return { met: await loadWorkspaceChats(table, workspaceId) };
}

/**
 * A person who types in a terminal or opens a port keeps an idle workspace awake.
 *
 * @throws {SleepCancelled}
 */
function requireUnused({ lastUsedAt }: Workspace, { by, claimedAt }: SleepInProgress): void {
  if (by === 'idle' && lastUsedAt !== undefined && lastUsedAt > claimedAt)
    throw new SleepCancelled('The workspace was used after the snapshot was begun.');
}

/** @throws {SleepCancelled} */
function requireUnchanged(
  active: readonly LedChat[],
  { capture }: Snapshot,
  { isFallback, now }: SleepBeginning,
): void {
  if (active.length === 0) throw new SleepCancelled('The chat session has ended.');
  for (const { chat } of active) {
    const isNew = !isFallback && capture?.lastSequences[chat.chatId] !== chat.lastSequence;
    if (isNew || isChatBusy(chat, now))
      throw new SleepCancelled('A message came after the snapshot was begun.');
  }
}

interface SleepWrites {
  readonly snapshot: Snapshot;
  readonly claim: SleepInProgress;
  readonly now: Date;
}

function sleepWrites(workspace: Workspace, { snapshot, claim, now }: SleepWrites): readonly Write[] {
  const { workspaceId, generation, version, updatedAt } = workspace;
  const expiresAt = expiryOf(now);
  return [
    {
      update: workspaceChange({
        workspaceId,
        move: 'sleep',
        to: 'sleeping',
        set: {
          ...noWaitingStep,
          sleep: { ...claim, phase: 'stopping' },
          endedBecause: ended(endingOf(claim), now),
        },
        // A new agent session changes the row, and not its version.
        when: { equals: { generation, version, updatedAt }, absent: ['deletion'] },
        now,
      }),
    },
    {
      update: snapshotChange(workspaceId, {
        set: { sleepingAt: now.toISOString(), snapshotExpiresAt: expiresAt },
        when: { equals: { version: snapshot.version } },
        now,
      }),
    },
    { put: expiryItem({ workspaceId, expiresAt }), when: {} },
  ];
}

/** The claim of an eviction gets no further than its capture. */
function endingOf({ by }: SleepInProgress): Ending {
  if (by === 'person') return endings.putToSleep;
  return by === 'task' ? endings.taskCompleted : endings.unused;
}

const expiryOf = (now: Date): string => new Date(now.getTime() + snapshotTtlMs).toISOString();

const chatSleeps = ({ chat }: LedChat, because: Ending, now: Date): Write => ({
  update: chatChange(chat.chatId, {
    set: { status: 'sleeping', snapshotExpiresAt: expiryOf(now), endedBecause: ended(because, now) },
    when: {
      equals: { status: 'active', version: chat.version, lastSequence: chat.lastSequence },
      absentOrBefore: { queuedPrompts: 1 },
    },
    now,
  }),
});
