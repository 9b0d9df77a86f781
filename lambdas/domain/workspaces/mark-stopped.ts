import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from './change-workspace.js';
import { findWorkspace, type Life } from './find-workspace.js';
import { type Release, releasePlace, releaseSlot } from './release-place.js';

/**
 * The node has stopped it or never had it, or (not `heard`) it stays silent and the person has waited long enough: its
 * place is free. A deletion that was claimed meanwhile keeps the status
 * `stopping`, which is its own. Repeatable.
 */
export async function markStopped(table: Table, life: Life, release: Omit<Release, 'nodeId'>): Promise<void> {
  const { now } = release;
  const { workspaceId, generation } = life;
  const workspace = await findWorkspace(table, workspaceId);
  if (workspace?.status !== 'stopping' || workspace.generation !== generation) return;
  if (workspace.deletion) return releasePlace(table, life, release);
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
