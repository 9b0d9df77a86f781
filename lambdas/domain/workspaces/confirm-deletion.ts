import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { workspaceChange } from './change-workspace.js';
import { releaseSlot } from './release-place.js';
import type { DeletionProof, Workspace } from './workspace.js';

/** A deleted workspace is remembered so that a repeated DELETE is answered as the first was. */
const tombstoneSeconds = 30 * 24 * 60 * 60;

/**
 * Ends the deletion with its proof: out of all lists, its place free. False when another write came between, which
 * the saga then converges. One table call.
 */
export async function confirmDeletion(
  table: Table,
  workspace: Workspace,
  { proof, now }: { readonly proof: DeletionProof; readonly now: Date },
): Promise<boolean> {
  const { workspaceId, generation, nodeId } = workspace;
  const end = {
    update: workspaceChange({
      workspaceId,
      move: 'confirmDeletion',
      to: 'deleted',
      set: { deletionProof: proof, expiresAt: Math.floor(now.getTime() / 1000) + tombstoneSeconds },
      remove: ['parentPk', 'parentSk', 'ownerPk', 'ownerSk', 'taskToken', 'waitingStep'],
      when: { equals: { generation }, present: ['deletion'] },
      now,
    }),
  };
  const outcome = await transact(table, [
    end,
    ...(nodeId ? [releaseSlot(workspace, { nodeId, heard: true, now })] : []),
  ]);
  if (outcome.committed) return true;
  // The node's tombstone may have gone before the workspace: there is no place to give back then.
  if (!nodeId || outcome.refusals[0]?.failed) return false;
  return (await transact(table, [end])).committed;
}
