import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeWorkspace, workspaceChange } from './change-workspace.js';
import { WorkspaceNotInState } from './errors.js';
import { findWorkspace, requireOwnWorkspace, type WorkspaceGeneration } from './find-workspace.js';
import { releaseSlot, releaseWorkspaceSlot, type SlotRelease } from './release-slot.js';
import type { Workspace } from './workspace.js';
import { canMove } from './workspace-status.js';

export interface StopClaim {
  readonly status: 'stopping' | 'stopped';
  readonly generation: number;
  /**
   * Answers the provisioning step that waits, if one does: it must hear of the stop. It stays on the row, where no
   * ready callback is believed any more, so that a repeat or the sweep can answer too.
   */
  readonly taskToken: string | undefined;
}

/**
 * Stops a workspace for good, wherever it is on its way: from here on no ready callback is believed and no task token
 * can be written. A repeat changes nothing and says how far it is. Three table calls.
 *
 * @throws {WorkspaceNotFound} there is none, or it is somebody else's
 * @throws {WorkspaceNotInState} there is nothing to stop
 */
export async function claimStop(
  table: Table,
  { workspaceId, userId, now }: { readonly workspaceId: string; readonly userId: string; readonly now: Date },
): Promise<StopClaim> {
  const seen = await findWorkspace(table, workspaceId);
  // A refused stop leaves nothing behind, not even a mark for the sweep.
  if (seen?.userId !== userId || !canMove(seen.status, 'stop')) return standing(seen, workspaceId, userId);
  await markUnsettled(table, workspaceId, now);
  const outcome = await changeWorkspace(
    table,
    {
      workspaceId,
      move: 'stop',
      to: 'stopping',
      when: { equals: { userId } },
      now,
    },
    'before',
  );
  if (outcome.changed) {
    const { generation, taskToken } = outcome.workspace;
    return { status: 'stopping', generation, taskToken };
  }
  return standing(outcome.workspace, workspaceId, userId);
}

function standing(workspace: Workspace | undefined, workspaceId: string, userId: string): StopClaim {
  const { status, generation, taskToken } = requireOwnWorkspace(workspace, workspaceId, userId);
  if (status === 'stopping' || status === 'stopped') return { status, generation, taskToken };
  throw new WorkspaceNotInState(status, 'Only a starting or running workspace can be stopped.');
}

/** Rings for the sweep before the row changes, so that a crash after the change is found. */
export async function markUnsettled(table: Table, workspaceId: string, now: Date): Promise<void> {
  const Item = unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() });
  // The latest mark wins: it only has to be another than the one that the sweep has read.
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
}

/**
 * The node has stopped it or never had it, or (not `heard`) it stays silent and the person has waited long enough: its
 * place is free. A deletion that was claimed meanwhile keeps the status
 * `stopping`, which is its own. Repeatable.
 */
export async function markStopped(
  table: Table,
  life: WorkspaceGeneration,
  release: Omit<SlotRelease, 'nodeId'>,
): Promise<void> {
  const { now } = release;
  const { workspaceId, generation } = life;
  const workspace = await findWorkspace(table, workspaceId);
  if (workspace?.status !== 'stopping' || workspace.generation !== generation) return;
  if (workspace.deletion) return releaseWorkspaceSlot(table, life, release);
  const { nodeId } = workspace;
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'stopped',
        to: 'stopped',
        remove: ['parentPk', 'parentSk', 'taskToken', 'waitingStep'],
        when: { equals: { generation }, absent: ['deletion'] },
        now,
      }),
    },
    ...(nodeId ? [releaseSlot(workspace, { ...release, nodeId })] : []),
  ]);
  if (!outcome.committed) return markStopped(table, life, release);
}
