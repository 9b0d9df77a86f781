import type { UserTokenSource } from '../code-host/open-user-token.js';
import { transactWithGrant } from '../code-host/transact-with-grant.js';
import { membershipEnded } from '../projects/errors.js';
import { memberCheck } from '../projects/member-check.js';
import type { Write } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { workspaceChange } from './change-workspace.js';
import { WorkspaceNotInState } from './errors.js';
import type { OwnWorkspace } from './load-with-grant.js';
import { requireRepository } from './require-repository.js';
import type { Remake, Workspace } from './workspace.js';
import { canMove } from './workspace-status.js';

export interface RestartQuery extends OwnWorkspace {
  readonly how: Remake;
  readonly now: Date;
}

/**
 * Begins another life of a workspace that was stopped or has failed: it is pending, for the saga to place and make. Of
 * two such claims one wins; nothing crosses a deletion that was claimed. One table call, and one more when it is refused
 * after the owner's token on the code host was renewed.
 *
 * @throws {WorkspaceNotInState} it is in another state, or another life has begun
 * @throws {CodeHostAccessLost} its owner has no access to its repository any more
 * @throws {CodeHostUnavailable | membershipEnded}
 */
export async function claimRestart(source: UserTokenSource, query: RestartQuery): Promise<Workspace> {
  const { seen, how, now } = query;
  const { workspaceId, userId } = seen;
  const wanted = 'only one that is stopped or has failed can be started again';
  if (!canMove(seen.status, 'restart') || seen.deletion) throw new WorkspaceNotInState(seen.status, wanted);
  const { check, renewed } = await requireRepository(source, query, now);
  const generation = seen.generation + 1;
  const writes = [
    {
      update: workspaceChange({
        workspaceId,
        move: 'restart',
        to: 'pending',
        // It goes on naming its node: that has its files, and its deletion has to ask there.
        set: {
          ...{ ...check, generation, remake: how, errorMessage: null },
          formerNodeId: seen.nodeId ?? undefined,
        },
        remove: ['taskToken', 'waitingStep', 'parentPk', 'parentSk'],
        when: { equals: { userId, generation: seen.generation }, absent: ['deletion'] },
        now,
      }),
    },
    { put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }), when: {} },
    ...memberCheck(seen),
  ] satisfies Write[];
  const outcome = await transactWithGrant(source.table, writes, renewed);
  if (!outcome.committed && outcome.refusals[2]?.failed) throw membershipEnded();
  if (!outcome.committed) throw new WorkspaceNotInState(seen.status, 'another request was faster');
  return { ...seen, ...check, generation, status: 'pending', remake: how };
}
