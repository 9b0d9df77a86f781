import type { Table } from '../../shared/table.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeWorkspace, workspaceChange } from './change-workspace.js';
import { DeletionRejected } from './errors.js';
import { findWorkspace } from './find-workspace.js';
import { Workspace } from './workspace.js';
import { isResting } from './workspace-status.js';

export type DeletionClaim =
  | { readonly outcome: 'already_deleted' }
  | {
      readonly outcome: 'claimed';
      /** As it was before the claim, or as the attempt that it joins has left it. */
      readonly before: Workspace;
      readonly attempt: number;
    };

/** Each meets a change that came between and does not matter, as a step of its provisioning. */
const attempts = 5;

/**
 * Begins the deletion of the workspace that the caller has seen, or joins the attempt that is under way. Afterwards it
 * is `stopping`, no callback brings it back, and only a proof ends it. The claim holds only of the very row that was
 * read: when it has changed, the row that is met says whether it is still what the person wanted to delete. One table
 * call, or a few more while the workspace is changing; none to join.
 *
 * @throws {DeletionRejected} it is another workspace by now: gone, reassigned or brought back to life
 */
export async function claimDeletion(table: Table, seen: Workspace, now: Date): Promise<DeletionClaim> {
  let before = seen;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (before.status === 'deleted') return { outcome: 'already_deleted' };
    if (before.deletion) return { outcome: 'claimed', before, attempt: before.deletion.attempt };
    const outcome = await transact(table, [
      { update: claim(before, now) },
      // The marker lets the sweep find a crash after the claim.
      { put: unsettledItem({ kind: 'WORKSPACE', id: seen.workspaceId, mark: now.toISOString() }), when: {} },
    ]);
    if (outcome.committed) return { outcome: 'claimed', before, attempt: 1 };
    const met = outcome.refusals[0]?.item;
    before = requireSame(seen, met && Workspace.parse(met));
  }
  throw new DeletionRejected(seen.workspaceId, 'workspace_active');
}

const claim = ({ workspaceId, version, generation, userId }: Workspace, now: Date) =>
  workspaceChange({
    workspaceId,
    move: 'claimDeletion',
    to: 'stopping',
    set: { deletion: { attempt: 1, claimedAt: now.toISOString() } },
    // Every change of what a deletion is about moves the version.
    when: { equals: { version, generation, userId }, absent: ['deletion'] },
    now,
  });

/** @throws {DeletionRejected} */
function requireSame(seen: Workspace, met: Workspace | undefined): Workspace {
  const { workspaceId, userId, projectId, nodeId, generation, status } = seen;
  if (!met) throw new DeletionRejected(workspaceId, 'workspace_missing');
  const isReassigned =
    met.userId !== userId ||
    met.projectId !== projectId ||
    // The first place of a life that goes on is no other assignment.
    (nodeId !== null && met.nodeId !== nodeId);
  if (isReassigned) throw new DeletionRejected(workspaceId, 'workspace_assignment_changed');
  const isRevived =
    met.generation !== generation || (isResting(status) && !isResting(met.status) && !met.deletion);
  if (isRevived && met.status !== 'deleted') throw new DeletionRejected(workspaceId, 'workspace_active');
  return met;
}

/**
 * A new attempt after the saga of the last one has given up; the sweep counts it so that the new execution has a name
 * of its own. Nothing if the deletion has ended or another sweep was first.
 */
export async function nextDeletionAttempt(
  table: Table,
  workspace: Workspace,
  now: Date,
): Promise<number | undefined> {
  const present = await findWorkspace(table, workspace.workspaceId);
  if (!present?.deletion || present.version !== workspace.version) return undefined;
  const attempt = present.deletion.attempt + 1;
  const outcome = await changeWorkspace(table, {
    workspaceId: workspace.workspaceId,
    set: { deletion: { ...present.deletion, attempt } },
    when: { equals: { version: present.version, status: 'stopping' } },
    now,
  });
  return outcome.changed ? attempt : undefined;
}
