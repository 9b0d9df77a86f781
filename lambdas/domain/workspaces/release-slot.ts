import type { Table } from '../../shared/table.js';
import { nodeKey } from '../nodes/node.js';
import { transact, type Write } from '../records/transact.js';
import { findWorkspace, type WorkspaceGeneration } from './find-workspace.js';
import { slotOf, type Workspace, workspaceKey } from './workspace.js';

export interface SlotRelease {
  readonly nodeId: string;
  /** The node, or its end, has said that it holds nothing of this life. If not, it takes no further workspaces. */
  readonly nodeConfirmed: boolean;
  readonly now: Date;
}

/** Gives back the place of one life on a node. Taking out what is not in the set changes nothing, so it repeats. */
export function releaseSlot(
  life: Pick<Workspace, 'workspaceId' | 'generation'>,
  { nodeId, nodeConfirmed: heard, now }: SlotRelease,
): Write {
  const at = now.toISOString();
  return {
    update: {
      key: nodeKey(nodeId),
      set: { slotsChangedAt: at, retiredAt: heard ? undefined : at },
      takeOut: { slots: new Set([slotOf(life)]) },
      when: { exists: true },
    },
  };
}

/**
 * Undoes the placement of one life, whatever became of the workspace meanwhile: its place on the node is free. The
 * workspace keeps naming the node, which its deletion has to ask. Two table calls; repeatable.
 */
export async function releaseWorkspaceSlot(
  table: Table,
  { workspaceId, generation }: WorkspaceGeneration,
  { nodeConfirmed: heard, now }: Omit<SlotRelease, 'nodeId'>,
): Promise<void> {
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace?.nodeId || workspace.generation !== generation) return;
  await transact(table, [
    releaseSlot(workspace, { nodeId: workspace.nodeId, nodeConfirmed: heard, now }),
    {
      update: {
        key: workspaceKey(workspaceId),
        remove: ['parentPk', 'parentSk'],
        when: { equals: { generation } },
      },
    },
  ]);
}
