import type { Table } from '../../shared/table.js';
import { membershipEnded } from '../projects/errors.js';
import { memberCheck } from '../projects/member.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { type Attempt, retryOnConflict } from '../records/retry-on-conflict.js';
import { transact } from '../records/transact.js';
import { noWaitingStep, workspaceChange } from '../workspaces/change-workspace.js';
import { workspaceNotFound } from '../workspaces/errors.js';
import { findWorkspace } from '../workspaces/find-workspace.js';
import { neverWaited, notPlaced, type WakeFailure, type Workspace } from '../workspaces/workspace.js';
import { hasOnlySnapshot, isResting } from '../workspaces/workspace-status.js';

/** Of one message that wakes the workspace. */
export const maxWakeAttempts = 3;

export type RequestedWake =
  /** Now, or by an earlier request. `provision-workspace` has to run for this generation. */
  | { readonly is: 'waking'; readonly workspace: Workspace }
  /** Its node stops it; it can be woken in a moment. */
  | { readonly is: 'falling_asleep' }
  /** It runs, or has ended. */
  | { readonly is: 'not_asleep'; readonly workspace: Workspace };

interface WakeRequest {
  readonly workspaceId: string;
  /** As the caller has just read it. */
  readonly seen?: Workspace;
  readonly now: Date;
  readonly newId: () => string;
}

const retries = { attempts: 5, message: 'The workspace changed at the same time. Try again.' };

/**
 * Starts the next generation of a sleeping or evicted workspace, which restores its snapshot. Of
 * concurrent requests one starts it, and the others join. Two table calls, one with `seen`.
 *
 * @throws {workspaceNotFound}
 * @throws {membershipEnded} the owner may not work in the project any more
 */
export async function requestWake(table: Table, request: WakeRequest): Promise<RequestedWake> {
  const seen = request.seen ?? (await findWorkspace(table, request.workspaceId));
  return retryOnConflict<Workspace | undefined, RequestedWake>(seen, retries, (workspace) =>
    tryWake(table, request, workspace),
  );
}

async function tryWake(
  table: Table,
  { workspaceId, now, newId }: WakeRequest,
  workspace: Workspace | undefined,
): Promise<Attempt<Workspace | undefined, RequestedWake>> {
  if (!workspace || workspace.status === 'deleted') throw workspaceNotFound();
  const { status, sleep, deletion, generation, version } = workspace;
  if (!hasOnlySnapshot(status) || deletion) return { result: { is: whatIsDone(workspace), workspace } };
  if (sleep) return { result: { is: 'falling_asleep' } };
  const ids = { operationId: newId(), evictionGeneration: newId() };
  const set = nextGeneration(workspace, { ...ids, now });
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'wake',
        to: 'pending',
        set,
        index: notPlaced,
        when: { equals: { generation, version }, absent: ['deletion', 'sleep', 'wake'] },
        now,
      }),
    },
    {
      put: pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: now.toISOString() }),
      when: {},
    },
    ...memberCheck(workspace),
  ]);
  if (outcome.committed)
    return {
      result: { is: 'waking', workspace: { ...workspace, generation: set.generation, wake: set.wake } },
    };
  if (outcome.refusals[2]?.failed) throw membershipEnded();
  return { met: await findWorkspace(table, workspaceId) };
}

/** A stopped workspace can have the wake that the stop ended. */
const whatIsDone = ({ status, wake }: Workspace): 'waking' | 'not_asleep' =>
  wake && !isResting(status) ? 'waking' : 'not_asleep';

interface NextGeneration {
  readonly operationId: string;
  readonly evictionGeneration: string;
  readonly now: Date;
}

function nextGeneration(
  { generation, nodeId, wakeFailure }: Workspace,
  { operationId, evictionGeneration, now }: NextGeneration,
) {
  const attempt = isExhausted(wakeFailure) ? 1 : (wakeFailure?.attempts ?? 0) + 1;
  const wake = { operationId, claimedAt: now.toISOString(), attempt, phase: 'placing' } as const;
  return {
    ...noWaitingStep,
    ...neverWaited,
    generation: generation + 1,
    evictionGeneration,
    // The former node may still have the files.
    restartMode: 'restart' as const,
    formerNodeId: nodeId ?? undefined,
    errorMessage: null,
    wake,
  };
}

/** No attempt is left for the messages from before the failure. */
export const isExhausted = (failure: WakeFailure | undefined): boolean =>
  failure !== undefined && failure.attempts >= maxWakeAttempts;
