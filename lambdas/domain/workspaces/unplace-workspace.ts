import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { noWaitingStep, workspaceChange } from './change-workspace.js';
import { WorkspaceStopped } from './errors.js';
import { findWorkspace, requireGeneration, type WorkspaceGeneration } from './find-workspace.js';
import { releaseSlot } from './release-slot.js';
import { notPlaced } from './workspace.js';

/**
 * The node of a workspace was removed before it was ready, or EC2 refused to launch it: the
 * workspace waits for a placement again. Nothing was sent to the node. Two table calls; a repeat
 * changes nothing.
 *
 * @throws {WorkspaceStopped} a stop or deletion came first
 */
export async function unplaceWorkspace(
  table: Table,
  target: WorkspaceGeneration & { readonly nodeId: string },
  now: Date,
): Promise<void> {
  const { workspaceId, generation, nodeId } = target;
  const workspace = requireGeneration(await findWorkspace(table, workspaceId), { workspaceId, generation });
  if (workspace.status === 'pending' || workspace.nodeId !== nodeId) return;
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'unplace',
        to: 'pending',
        // The node of the former generation has the files, and a deletion has to ask it.
        set: { ...noWaitingStep, nodeId: workspace.formerNodeId ?? null },
        index: notPlaced,
        when: { equals: { generation, nodeId } },
        now,
      }),
    },
    releaseSlot(target, { nodeId, nodeConfirmed: true, now }),
  ]);
  if (!outcome.committed) throw new WorkspaceStopped(workspaceId);
}
