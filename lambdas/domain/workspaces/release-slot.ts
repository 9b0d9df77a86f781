import type { Table } from '../../shared/table.js';
import { nodeChange } from '../nodes/change-node.js';
import { transact, type Write } from '../records/transact.js';
import { workspaceChange } from './change-workspace.js';
import { findWorkspace, type WorkspaceGeneration } from './find-workspace.js';
import { notPlaced, slotOf } from './workspace.js';

export interface SlotRelease {
  readonly nodeId: string;
  /**
   * The node, or EC2, has confirmed that nothing of the generation runs. Otherwise the node is
   * retired.
   */
  readonly nodeConfirmed: boolean;
  readonly now: Date;
}

/** Releases the slot of one generation on a node. Repeatable. */
export function releaseSlot(holder: WorkspaceGeneration, { nodeId, nodeConfirmed, now }: SlotRelease): Write {
  const at = now.toISOString();
  return {
    update: nodeChange({
      nodeId,
      set: {
        slotsChangedAt: at,
        lastWorkspaceId: holder.workspaceId,
        retiredAt: nodeConfirmed ? undefined : at,
      },
      takeOut: { slots: slotOf(holder) },
      now,
    }),
  };
}

/**
 * Undoes the placement of one generation, whatever the status of the workspace. The workspace keeps
 * `nodeId`, because its deletion has to ask that node. Two table calls; repeatable.
 */
export async function releaseWorkspaceSlot(
  table: Table,
  { workspaceId, generation }: WorkspaceGeneration,
  { nodeConfirmed, now }: Omit<SlotRelease, 'nodeId'>,
): Promise<void> {
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace?.nodeId || workspace.generation !== generation) return;
  await transact(table, [
    releaseSlot(workspace, { nodeId: workspace.nodeId, nodeConfirmed, now }),
    {
      update: workspaceChange({
        workspaceId,
        index: notPlaced,
        when: { equals: { generation } },
        isInternal: true,
        now,
      }),
    },
  ]);
}
