import type { Table } from '../../shared/table.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { transact } from '../records/transact.js';
import { changeWorkspace, noWaitingStep, workspaceChange } from './change-workspace.js';
import type { WorkspaceGeneration } from './find-workspace.js';
import { releaseSlot, releaseWorkspaceSlot } from './release-slot.js';
import { writeStopMarker } from './stopping.js';
import { notPlaced, type Workspace } from './workspace.js';

/**
 * The instance of the node ended: marks the workspace errored and releases its slot. Repeatable.
 */
export async function failAfterNodeLoss(table: Table, workspace: Workspace, now: Date): Promise<void> {
  const { workspaceId, generation } = workspace;
  // The sweep removes its DNS name.
  await writeStopMarker(table, workspaceId, now);
  const errorMessage = 'The instance of the node ended. Restart the workspace, or create it again.';
  await changeWorkspace(table, {
    workspaceId,
    move: 'lose',
    to: 'errored',
    set: { errorMessage, ...noWaitingStep },
    when: { equals: { generation } },
    now,
  });
  await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now });
}

/**
 * The node reports that it cannot restart the workspace: marks it errored and releases its slot.
 * False when another change came first. One table call; repeatable.
 */
export async function failOnNode(
  table: Table,
  { workspaceId, generation, nodeId }: WorkspaceGeneration & { readonly nodeId: string },
  { errorMessage, now }: { readonly errorMessage: string; readonly now: Date },
): Promise<boolean> {
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'lose',
        to: 'errored',
        set: { errorMessage, ...noWaitingStep },
        index: notPlaced,
        when: { equals: { generation, nodeId } },
        now,
      }),
    },
    releaseSlot({ workspaceId, generation }, { nodeId, nodeConfirmed: true, now }),
    // The sweep removes its DNS name.
    {
      put: pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: now.toISOString() }),
      when: {},
    },
  ]);
  return outcome.committed;
}
