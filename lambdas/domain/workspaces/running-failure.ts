import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeWorkspace, workspaceChange } from './change-workspace.js';
import type { WorkspaceGeneration } from './find-workspace.js';
import { releaseSlot, releaseWorkspaceSlot } from './release-slot.js';
import { markUnsettled } from './stopping.js';
import type { Workspace } from './workspace.js';

/** The machine under a workspace is gone: the person is told, and its place is given back. Repeatable. */
export async function failAfterNodeLoss(table: Table, workspace: Workspace, now: Date): Promise<void> {
  const { workspaceId, generation } = workspace;
  // The sweep takes its name out of DNS.
  await markUnsettled(table, workspaceId, now);
  await changeWorkspace(table, {
    workspaceId,
    move: 'lose',
    to: 'errored',
    set: { errorMessage: 'The instance of the node ended. Restart the workspace, or create it again.' },
    remove: ['taskToken', 'waitingStep'],
    when: { equals: { generation } },
    now,
  });
  await releaseWorkspaceSlot(table, workspace, { nodeConfirmed: true, now });
}

/**
 * A node says that a workspace that ran there does not, and that it cannot bring it back: the person is told, its place
 * is free. False when it was moved meanwhile. One table call; repeatable.
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
        set: { errorMessage },
        remove: ['taskToken', 'waitingStep', 'parentPk', 'parentSk'],
        when: { equals: { generation, nodeId } },
        now,
      }),
    },
    releaseSlot({ workspaceId, generation }, { nodeId, nodeConfirmed: true, now }),
    // The sweep takes its name out of DNS.
    { put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }), when: {} },
  ]);
  return outcome.committed;
}
