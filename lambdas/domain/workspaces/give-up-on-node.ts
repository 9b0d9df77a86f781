import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { workspaceChange } from './change-workspace.js';
import type { Life } from './find-workspace.js';
import { releaseSlot } from './release-place.js';

/**
 * A node says that a workspace that ran there does not, and that it cannot bring it back: the person is told, its place
 * is free. False when it was moved meanwhile. One table call; repeatable.
 */
export async function giveUpOnNode(
  table: Table,
  { workspaceId, generation, nodeId }: Life & { readonly nodeId: string },
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
    releaseSlot({ workspaceId, generation }, { nodeId, heard: true, now }),
    // The sweep takes its name out of DNS.
    { put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }), when: {} },
  ]);
  return outcome.committed;
}
