import type { Table } from '../../shared/table.js';
import { nodeKey } from '../nodes/node.js';
import { transact, type Write } from '../records/transact.js';
import { findWorkspace, type Life } from './find-workspace.js';
import { slotOf, type Workspace, workspaceKey } from './workspace.js';

/** Gives back the place of one life on a node. Taking out what is not in the set changes nothing, so it repeats. */
export function releaseSlot(
  life: Pick<Workspace, 'workspaceId' | 'generation'>,
  nodeId: string,
  now: Date,
): Write {
  return {
    update: {
      key: nodeKey(nodeId),
      set: { slotsChangedAt: now.toISOString() },
      takeOut: { slots: new Set([slotOf(life)]) },
      when: { exists: true },
    },
  };
}

/**
 * Undoes the placement of one life, whatever became of the workspace meanwhile: its place on the node is free. The
 * workspace keeps naming the node, which its deletion has to ask. Two table calls; repeatable.
 */
export async function releasePlace(
  table: Table,
  { workspaceId, generation }: Life,
  now: Date,
): Promise<void> {
  const workspace = await findWorkspace(table, workspaceId);
  if (!workspace?.nodeId || workspace.generation !== generation) return;
  await transact(table, [
    releaseSlot(workspace, workspace.nodeId, now),
    {
      update: {
        key: workspaceKey(workspaceId),
        remove: ['parentPk', 'parentSk'],
        when: { equals: { generation } },
      },
    },
  ]);
}
