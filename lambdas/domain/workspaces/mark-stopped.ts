import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from './change-workspace.js';
import { findWorkspace, type Life } from './find-workspace.js';
import { releasePlace, releaseSlot } from './release-place.js';

/**
 * The node has stopped it, or never had it: its place is free. A deletion that was claimed meanwhile keeps the status
 * `stopping`, which is its own. Repeatable.
 */
export async function markStopped(table: Table, life: Life, now: Date): Promise<void> {
  const { workspaceId, generation } = life;
  const workspace = await findWorkspace(table, workspaceId);
  if (workspace?.status !== 'stopping' || workspace.generation !== generation) return;
  if (workspace.deletion) return releasePlace(table, life, now);
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
    ...(nodeId ? [releaseSlot(workspace, nodeId, now)] : []),
  ]);
  if (!outcome.committed) return markStopped(table, life, now);
}
