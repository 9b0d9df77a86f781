import type { Table } from '../../shared/table.js';
import { NotMemberAnyMore } from '../projects/errors.js';
import { memberCheck } from '../projects/member-check.js';
import { transact } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { workspaceChange } from './change-workspace.js';
import { WorkspaceNotInState } from './errors.js';
import { findOwnWorkspace } from './find-workspace.js';
import type { Remake, Workspace } from './workspace.js';
import { canMove } from './workspace-status.js';

export interface RestartQuery {
  readonly workspaceId: string;
  readonly userId: string;
  readonly how: Remake;
  readonly now: Date;
}

/**
 * Begins another life of a workspace that was stopped or has failed: it is pending, for the saga to place and make. Of
 * two such claims one wins; nothing crosses a deletion that was claimed. Two table calls.
 *
 * @throws {WorkspaceNotFound} there is none, or it is somebody else's
 * @throws {WorkspaceNotInState} it is in another state, or another life has begun
 * @throws {NotMemberAnyMore}
 */
export async function claimRestart(table: Table, query: RestartQuery): Promise<Workspace> {
  const { workspaceId, userId, how, now } = query;
  const seen = await findOwnWorkspace(table, workspaceId, userId);
  const wanted = 'only one that is stopped or has failed can be started again';
  if (!canMove(seen.status, 'restart') || seen.deletion) throw new WorkspaceNotInState(seen.status, wanted);
  const generation = seen.generation + 1;
  const outcome = await transact(table, [
    {
      update: workspaceChange({
        workspaceId,
        move: 'restart',
        to: 'pending',
        // It goes on naming its node: that has its files, and its deletion has to ask there.
        set: { generation, remake: how, formerNodeId: seen.nodeId ?? undefined, errorMessage: null },
        remove: ['taskToken', 'waitingStep', 'parentPk', 'parentSk'],
        when: { equals: { userId, generation: seen.generation }, absent: ['deletion'] },
        now,
      }),
    },
    { put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }), when: {} },
    ...memberCheck(seen),
  ]);
  if (!outcome.committed && outcome.refusals[2]?.failed) throw new NotMemberAnyMore();
  if (!outcome.committed) throw new WorkspaceNotInState(seen.status, 'another request was faster');
  return { ...seen, generation, status: 'pending', remake: how };
}
