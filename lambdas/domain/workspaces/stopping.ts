import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { type Ending, ended, endings } from '../endings/endings.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { transact } from '../records/transact.js';
import {
  changeWorkspace,
  noEviction,
  noSleep,
  noWaitingStep,
  noWake,
  workspaceChange,
} from './change-workspace.js';
import { workspaceNotInState } from './errors.js';
import { findWorkspace, requireOwnWorkspace, type WorkspaceGeneration } from './find-workspace.js';
import { releaseSlot, releaseWorkspaceSlot, type SlotRelease } from './release-slot.js';
import { notPlaced, type Workspace } from './workspace.js';
import { canMove } from './workspace-status.js';

export interface StopClaim {
  readonly status: 'stopping' | 'stopped';
  readonly generation: number;
  /**
   * Token of the waiting provisioning step, which has to fail. It stays on the row, so that a
   * repeat or the sweep can use it too.
   */
  readonly taskToken: string | undefined;
}

interface Stop {
  readonly workspaceId: string;
  readonly userId: string;
  /** Without it a person stopped it. */
  readonly because?: Ending | undefined;
  readonly now: Date;
}

/**
 * Stops a workspace in any state of its start: from here on no ready callback is accepted and no
 * task token can be written. A repeat changes nothing and returns the present status. Three table
 * calls.
 *
 * @throws {workspaceNotFound} it does not exist, or belongs to somebody else
 * @throws {workspaceNotInState} its state cannot be stopped
 */
export async function claimStop(
  table: Table,
  { workspaceId, userId, because = endings.stopped, now }: Stop,
): Promise<StopClaim> {
  const seen = await findWorkspace(table, workspaceId);
  // A refused stop writes nothing, not even a marker for the sweep.
  if (seen?.userId !== userId || !canMove(seen.status, 'stop')) return presentStop(seen, userId);
  await writeStopMarker(table, workspaceId, now);
  const when = { equals: { userId } };
  const outcome = await changeWorkspace(
    table,
    {
      workspaceId,
      move: 'stop',
      to: 'stopping',
      set: { ...noSleep, ...noWake, ...noEviction, endedBecause: ended(because, now) },
      when,
      now,
    },
    'before',
  );
  if (!outcome.changed) return presentStop(outcome.workspace, userId);
  const { generation, taskToken } = outcome.workspace;
  return { status: 'stopping', generation, taskToken };
}

function presentStop(workspace: Workspace | undefined, userId: string): StopClaim {
  const { status, generation, taskToken } = requireOwnWorkspace(workspace, userId);
  if (status === 'stopping' || status === 'stopped') return { status, generation, taskToken };
  throw workspaceNotInState(status, 'Only a starting or running workspace can be stopped.');
}

/**
 * Writes the marker for the sweep before the row changes, so that the sweep finds an interrupted
 * change.
 */
export async function writeStopMarker(table: Table, workspaceId: string, now: Date): Promise<void> {
  const Item = pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: now.toISOString() });
  // The latest marker wins: it only has to differ from the one that the sweep read.
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
}

/**
 * Ends a stop and releases the slot: the node confirmed, or (not `nodeConfirmed`) did not answer in
 * time. A workspace with a claimed deletion stays `stopping`, which is its own status. Repeatable.
 */
export async function markStopped(
  table: Table,
  stopped: WorkspaceGeneration,
  release: Omit<SlotRelease, 'nodeId'>,
): Promise<void> {
  const { now } = release;
  const { workspaceId, generation } = stopped;
  const workspace = await findWorkspace(table, workspaceId);
  if (workspace?.status !== 'stopping' || workspace.generation !== generation) return;
  if (workspace.deletion) return releaseWorkspaceSlot(table, stopped, release);
  const { nodeId } = workspace;
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'stopped',
        to: 'stopped',
        set: noWaitingStep,
        index: notPlaced,
        when: { equals: { generation }, absent: ['deletion'] },
        now,
      }),
    },
    ...(nodeId ? [releaseSlot(workspace, { ...release, nodeId })] : []),
  ]);
  if (!outcome.committed) return markStopped(table, stopped, release);
}
