import type { Table } from '../../shared/table.js';
import { chatChange } from '../chats/change-chat.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import { taskWakes } from '../tasks/sleeping-task.js';
import { noSleep, workspaceChange } from '../workspaces/change-workspace.js';
import { releaseSlot } from '../workspaces/release-slot.js';
import { notPlaced, type Workspace } from '../workspaces/workspace.js';
import { type Snapshot, snapshotChange } from './snapshot.js';
import type { ClaimedSleep } from './verify-snapshot.js';
import { loadWorkspaceChats, type WorkspaceChats } from './workspace-chats.js';

interface SleepEnd extends ClaimedSleep {
  readonly now: Date;
}

/** The chats of the workspace with waiting prompts, which have to be woken. */
export interface SleepEnded {
  readonly waiting: readonly string[];
}

const retries = { attempts: 5, message: 'The workspace changed at the same time.' };

const isFallingAsleep = ({ generation, sleep, status }: Workspace, end: SleepEnd): boolean =>
  generation === end.generation &&
  status === 'sleeping' &&
  sleep?.claimId === end.claimId &&
  sleep.phase === 'stopping';

const waitingOf = ({ chats }: WorkspaceChats): readonly string[] =>
  chats.filter(({ chat }) => chat.queuedPrompts > 0).map(({ chat }) => chat.chatId);

/**
 * The node has stopped the workspace, or (not `nodeConfirmed`) did not answer in time and is
 * retired: releases the slot and ends the episode. Repeatable. Three table calls.
 */
export async function endSleep(
  table: Table,
  end: SleepEnd & { readonly nodeConfirmed: boolean },
): Promise<SleepEnded> {
  const seen = await loadWorkspaceChats(table, end.workspaceId);
  return retryOnConflict<WorkspaceChats, SleepEnded>(seen, retries, async (found) => {
    const { workspace, snapshot } = found;
    const waiting = { result: { waiting: waitingOf(found) } };
    if (!workspace || !snapshot || !isFallingAsleep(workspace, end)) return waiting;
    const { committed } = await transact(table, endWrites(workspace, snapshot, end));
    return committed ? waiting : { met: await loadWorkspaceChats(table, end.workspaceId) };
  });
}

function endWrites(
  workspace: Workspace,
  { sleepingAt, snapshotExpiresAt }: Snapshot,
  { nodeConfirmed, now }: SleepEnd & { readonly nodeConfirmed: boolean },
) {
  const { workspaceId, generation, version, nodeId } = workspace;
  const at = now.toISOString();
  const asleep = { generation, since: sleepingAt ?? at, snapshotExpiresAt: snapshotExpiresAt ?? at };
  return [
    {
      update: workspaceChange({
        workspaceId,
        set: { ...noSleep, asleep },
        index: notPlaced,
        when: { equals: { generation, version, status: 'sleeping' } },
        now,
      }),
    },
    {
      update: snapshotChange(workspaceId, { set: { episode: null, capture: null, captureError: null }, now }),
    },
    ...(nodeId ? [releaseSlot(workspace, { nodeId, nodeConfirmed, now })] : []),
  ];
}

/**
 * The node did not stop the workspace, because something changed since the capture: workspace and
 * chats run as before. Repeatable. Three table calls.
 */
export async function keepRunning(table: Table, end: SleepEnd): Promise<SleepEnded> {
  const seen = await loadWorkspaceChats(table, end.workspaceId);
  return retryOnConflict<WorkspaceChats, SleepEnded>(seen, retries, (found) => tryKeep(table, end, found));
}

async function tryKeep(
  table: Table,
  end: SleepEnd,
  found: WorkspaceChats,
): Promise<Attempt<WorkspaceChats, SleepEnded>> {
  const { workspace, chats } = found;
  const { workspaceId, now } = end;
  const waiting = { result: { waiting: waitingOf(found) } };
  if (!workspace?.sleep || !isFallingAsleep(workspace, end)) return waiting;
  const { generation, version, sleep } = workspace;
  const asleep = chats.filter(({ chat }) => chat.status === 'sleeping');
  const { committed } = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'notAsleep',
        to: sleep.from,
        // The claim stays until the failure is counted.
        set: { sleep: { ...sleep, phase: 'capturing' }, endedBecause: null },
        when: { equals: { generation, version } },
        now,
      }),
    },
    { update: snapshotChange(workspaceId, { set: { sleepingAt: null, snapshotExpiresAt: null }, now }) },
    ...asleep.map(({ chat }) => ({
      update: chatChange(chat.chatId, {
        set: { status: 'active', snapshotExpiresAt: null, endedBecause: null } as const,
        when: { equals: { status: 'sleeping' } as const },
        now,
      }),
    })),
    ...asleep.flatMap((one) => taskWakes(one, now)),
  ]);
  return committed ? waiting : { met: await loadWorkspaceChats(table, workspaceId) };
}
