import type { Table } from '../../shared/table.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { transact } from '../records/transact.js';
import { changeWorkspace, workspaceChange } from './change-workspace.js';
import { failedGeneration } from './failed-generation.js';
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
  const { when, ...failed } = failedGeneration(workspace, 'lose', { errorMessage, kind: 'node_lost', now });
  await changeWorkspace(table, {
    ...failed,
    workspaceId,
    when: { ...when, equals: { generation } },
    now,
  });
  await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now });
}

interface FailedOnNode extends WorkspaceGeneration, Pick<Workspace, 'wake' | 'eviction'> {
  readonly nodeId: string;
}

/**
 * The node reports that it cannot restart the workspace: marks it errored and releases its slot.
 * False when another change came first. One table call; repeatable.
 */
export async function failOnNode(
  table: Table,
  { workspaceId, generation, nodeId, wake, eviction }: FailedOnNode,
  { errorMessage, now }: { readonly errorMessage: string; readonly now: Date },
): Promise<boolean> {
  const { when, ...failed } = failedGeneration({ wake, eviction }, 'lose', { errorMessage, now });
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        ...failed,
        workspaceId,
        index: notPlaced,
        when: { ...when, equals: { generation, nodeId } },
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
