import type { Table } from '../../shared/table.js';
import { changeWorkspace } from './change-workspace.js';
import { markUnsettled } from './claim-stop.js';
import { WorkspaceNotFound } from './errors.js';
import { findWorkspace } from './find-workspace.js';
import type { Workspace } from './workspace.js';
import type { WorkspaceStatus } from './workspace-status.js';

export type DeletionClaim =
  | { readonly outcome: 'already_deleted' }
  | {
      readonly outcome: 'claimed';
      /** As it was before the claim. */
      readonly before: Workspace;
      readonly attempt: number;
      readonly statusBefore: WorkspaceStatus;
    };

/**
 * Begins the deletion of a workspace in whatever state it is, or joins the attempt that is under way. Afterwards it is
 * `stopping`, no callback brings it back, and only a proof ends it. Two table calls.
 *
 * @throws {WorkspaceNotFound} there is none, or it is somebody else's
 */
export async function claimDeletion(
  table: Table,
  { workspaceId, userId, now }: { readonly workspaceId: string; readonly userId: string; readonly now: Date },
): Promise<DeletionClaim> {
  await markUnsettled(table, workspaceId, now);
  const deletion = { attempt: 1, claimedAt: now.toISOString() };
  const outcome = await changeWorkspace(
    table,
    {
      workspaceId,
      move: 'claimDeletion',
      to: 'stopping',
      set: { deletion },
      when: { equals: { userId }, absent: ['deletion'] },
      now,
    },
    'before',
  );
  const { workspace } = outcome;
  if (workspace?.userId !== userId) throw new WorkspaceNotFound(workspaceId);
  if (workspace.status === 'deleted') return { outcome: 'already_deleted' };
  const attempt = outcome.changed ? 1 : (workspace.deletion?.attempt ?? 1);
  return { outcome: 'claimed', before: workspace, attempt, statusBefore: workspace.status };
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
