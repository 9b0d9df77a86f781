import type { SigningKeys } from '../../shared/signing-keys.js';
import { checkRepository, isRepositoryChecked, type RepositoryCheck } from '../code-host/check-repository.js';
import type { Grant } from '../code-host/grant.js';
import type { UserTokenSource } from '../code-host/open-user-token.js';
import { transactWithGrant } from '../code-host/transact-with-grant.js';
import { storedAddressOf } from '../node-client/node-address.js';
import { remakeOnNode } from '../node-client/workspace-calls.js';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import { membershipEnded } from '../projects/errors.js';
import { memberCheck } from '../projects/member-check.js';
import type { Write } from '../records/transact.js';
import { unsettledItem } from '../records/unsettled.js';
import { changeWorkspace, workspaceChange } from './change-workspace.js';
import { WorkspaceNotInState } from './errors.js';
import type { WorkspaceWithGrant } from './find-workspace.js';
import type { RestartMode, Workspace } from './workspace.js';
import { canMove } from './workspace-status.js';

export interface RestartQuery extends WorkspaceWithGrant {
  readonly how: RestartMode;
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
  const { workspace: seen, how, now } = query;
  const { workspaceId, userId } = seen;
  const wanted = 'Only a stopped or errored workspace can be restarted.';
  if (!canMove(seen.status, 'restart') || seen.deletion) throw new WorkspaceNotInState(seen.status, wanted);
  const { check, renewed } = await requireRepositoryAccess(source, query, now);
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
  if (!outcome.committed)
    throw new WorkspaceNotInState(seen.status, 'Another request changed it first. Read the workspace again.');
  return { ...seen, ...check, generation, status: 'pending', remake: how };
}

export interface RepositoryAccess {
  /** To be stored on the workspace; empty while the last check still counts. */
  readonly check: Partial<RepositoryCheck>;
  readonly renewed: Grant | undefined;
}

/**
 * The owner of the workspace has access to its repository now: the last check is recent, or the code host says so. The
 * caller stores what is returned.
 *
 * @throws {CodeHostAccessLost | CodeHostUnavailable}
 */
export async function requireRepositoryAccess(
  source: UserTokenSource,
  { workspace: seen, grant }: WorkspaceWithGrant,
  now: Date,
): Promise<RepositoryAccess> {
  const { repository } = seen;
  if (repository === null || isRepositoryChecked(seen, now)) return { check: {}, renewed: undefined };
  return checkRepository(source, { grant, repository, now });
}

export interface RebuildNeeds {
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly timeoutMs: number;
}

/**
 * Has the node of a running workspace make it anew around its files; the node's ready callback ends it. A node that
 * refuses or does not answer leaves the workspace as it was. Two table calls at most.
 *
 * @throws {WorkspaceNotInState} it was moved meanwhile
 * @throws {CodeHostAccessLost} its owner has no access to its repository any more
 * @throws {CodeHostUnavailable | NodeRefused | NodeUnreachable}
 */
export async function rebuildOnNode(
  source: UserTokenSource,
  own: WorkspaceWithGrant,
  needs: RebuildNeeds,
): Promise<void> {
  const { workspace: seen } = own;
  const { workspaceId, userId, generation } = seen;
  const { keys, now, timeoutMs } = needs;
  const address = storedAddressOf(seen);
  if (!address) throw new WorkspaceNotInState(seen.status, 'Only a workspace on a node can be rebuilt.');
  const { check, renewed } = await requireRepositoryAccess(source, own, now);
  const writes = [
    {
      update: workspaceChange({
        workspaceId,
        move: 'rebuild',
        to: 'rebuilding',
        set: check,
        when: { equals: { userId, generation }, absent: ['deletion'] },
        now,
      }),
    },
    { put: unsettledItem({ kind: 'WORKSPACE', id: workspaceId, mark: now.toISOString() }), when: {} },
  ];
  const claimed = await transactWithGrant(source.table, writes, renewed);
  if (!claimed.committed)
    throw new WorkspaceNotInState(seen.status, 'Another request changed it first. Read the workspace again.');
  try {
    await remakeOnNode({ keys, address, now, timeoutMs }, seen, { how: 'rebuild', body: {} });
  } catch (error) {
    if (error instanceof NodeRefused || error instanceof NodeUnreachable) {
      const back = seen.status === 'recovering' ? 'recovering' : 'running';
      const when = { equals: { generation } };
      await changeWorkspace(source.table, { workspaceId, move: 'notRebuilt', to: back, when, now });
    }
    throw error;
  }
}
