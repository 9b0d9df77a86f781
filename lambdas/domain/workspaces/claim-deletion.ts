import type { Table } from '../../shared/table.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import { changeWorkspace, noSleep, workspaceChange } from './change-workspace.js';
import { DeletionRejected } from './errors.js';
import { findWorkspace } from './find-workspace.js';
import { Workspace } from './workspace.js';
import { isResting } from './workspace-status.js';

type DeletionClaim =
  | { readonly outcome: 'already_deleted' }
  | {
      readonly outcome: 'claimed';
      /** The row before the claim, or with the attempt that this call joins. */
      readonly before: Workspace;
      readonly attempt: number;
    };

/**
 * Claims the deletion of the workspace that the caller saw, or joins the attempt in progress.
 * Afterwards it is `stopping`, no callback makes it run, and only a proof ends the deletion. If the
 * row has changed, the new row decides whether it is still that workspace. One table call, a few
 * more while the workspace changes, none to join.
 *
 * @throws {DeletionRejected} it is missing, has another owner, project or node, was started again,
 * or changed with every attempt
 */
export function claimDeletion(table: Table, seen: Workspace, now: Date): Promise<DeletionClaim> {
  const error = () => new DeletionRejected(seen.workspaceId, 'workspace_active');
  const retries = { attempts: 5, message: 'The workspace changed at the same time.', error };
  return retryOnConflict<Workspace, DeletionClaim>(seen, retries, (before) =>
    tryClaim(table, { seen, before, now }),
  );
}

interface ClaimAttempt {
  readonly seen: Workspace;
  readonly before: Workspace;
  readonly now: Date;
}

async function tryClaim(
  table: Table,
  { seen, before, now }: ClaimAttempt,
): Promise<Attempt<Workspace, DeletionClaim>> {
  const { workspaceId } = seen;
  if (before.status === 'deleted') return { result: { outcome: 'already_deleted' } };
  if (before.deletion) return { result: { outcome: 'claimed', before, attempt: before.deletion.attempt } };
  const outcome = await transact(table, [
    { update: claim(before, now) },
    // The marker lets the sweep find a deletion that was interrupted after the claim.
    {
      put: pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: now.toISOString() }),
      when: {},
    },
  ]);
  if (outcome.committed) return { result: { outcome: 'claimed', before, attempt: 1 } };
  const present = outcome.refusals[0]?.item;
  return { met: requireSame(seen, present && Workspace.parse(present)) };
}

const claim = ({ workspaceId, version, generation, userId }: Workspace, now: Date) =>
  workspaceChange({
    workspaceId,
    move: 'claimDeletion',
    to: 'stopping',
    set: { ...noSleep, deletion: { attempt: 1, claimedAt: now.toISOString() } },
    // Every change that matters to a deletion increments the version.
    when: { equals: { version, generation, userId }, absent: ['deletion'] },
    now,
  });

/** @throws {DeletionRejected} */
function requireSame(seen: Workspace, present: Workspace | undefined): Workspace {
  const { workspaceId } = seen;
  if (!present) throw new DeletionRejected(workspaceId, 'workspace_missing');
  if (isReassigned(seen, present)) throw new DeletionRejected(workspaceId, 'workspace_assignment_changed');
  if (present.status !== 'deleted' && isStartedAgain(seen, present))
    throw new DeletionRejected(workspaceId, 'workspace_active');
  return present;
}

/** The first node of the same generation is no other assignment. */
const isReassigned = (seen: Workspace, present: Workspace): boolean =>
  present.userId !== seen.userId ||
  present.projectId !== seen.projectId ||
  (seen.nodeId !== null && present.nodeId !== seen.nodeId);

const isStartedAgain = (seen: Workspace, present: Workspace): boolean =>
  present.generation !== seen.generation ||
  (isResting(seen.status) && !isResting(present.status) && !present.deletion);

/**
 * Counts a new attempt after the saga of the last one failed, so that the execution gets another
 * name. Undefined if the deletion has ended or another sweep was first.
 */
export async function nextDeletionAttempt(
  table: Table,
  workspace: Workspace,
  now: Date,
): Promise<number | undefined> {
  const { workspaceId, version } = workspace;
  const present = await findWorkspace(table, workspaceId);
  if (!present?.deletion || present.version !== version) return undefined;
  const attempt = present.deletion.attempt + 1;
  const outcome = await changeWorkspace(table, {
    workspaceId,
    set: { deletion: { ...present.deletion, attempt } },
    when: { equals: { version, status: 'stopping' } },
    now,
  });
  return outcome.changed ? attempt : undefined;
}
