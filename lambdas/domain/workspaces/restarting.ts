import { newId } from '../../shared/ids.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import { checkRepository, isRepositoryChecked, type RepositoryCheck } from '../code-host/check-repository.js';
import type { Grant } from '../code-host/grant.js';
import type { UserTokenSource } from '../code-host/open-user-token.js';
import { transactWithGrant } from '../code-host/transact-with-grant.js';
import { storedAddressOf } from '../node-client/node-address.js';
import { restartOrRebuildOnNode } from '../node-client/workspace-calls.js';
import { NodeRefused, NodeUnreachable } from '../nodes/errors.js';
import { membershipEnded } from '../projects/errors.js';
import { memberCheck } from '../projects/member.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import type { FieldChanges } from '../records/record-change.js';
import type { Write } from '../records/transact.js';
import {
  changeWorkspace,
  noEviction,
  noSleep,
  noWaitingStep,
  noWake,
  workspaceChange,
} from './change-workspace.js';
import { workspaceNotInState } from './errors.js';
import { sending } from './eviction-generations.js';
import type { WorkspaceWithGrant } from './find-workspace.js';
import { neverWaited, notPlaced, type RestartMode, type Workspace } from './workspace.js';
import { canMove } from './workspace-status.js';

const conflicting = 'Another request changed it first. Read the workspace again.';

interface RestartRequest extends WorkspaceWithGrant {
  readonly mode: RestartMode;
  readonly now: Date;
}

/**
 * Starts the next generation of a stopped or errored workspace: it is `pending` until the saga
 * places it. Of two such claims one wins; none passes a claimed deletion. One table call, and one
 * more when it is refused after the owner's token was renewed.
 *
 * @throws {workspaceNotInState} its state does not allow a restart, or another generation has
 * started
 * @throws {CodeHostAccessLost} its owner has lost access to the repository
 * @throws {CodeHostUnavailable | membershipEnded}
 */
export async function claimRestart(source: UserTokenSource, request: RestartRequest): Promise<Workspace> {
  const { workspace, mode, now } = request;
  if (!canMove(workspace.status, 'restart') || workspace.deletion)
    throw workspaceNotInState(workspace.status, 'Only a stopped or errored workspace can be restarted.');
  const { check, renewed } = await requireRepositoryAccess(source, request, now);
  const generation = workspace.generation + 1;
  const writes = [
    { update: nextGeneration(request, check) },
    marker(workspace, now),
    ...memberCheck(workspace),
  ] satisfies Write[];
  const outcome = await transactWithGrant(source.table, writes, renewed);
  if (!outcome.committed && outcome.refusals[2]?.failed) throw membershipEnded();
  if (!outcome.committed) throw workspaceNotInState(workspace.status, conflicting);
  return { ...workspace, ...check, generation, status: 'pending', restartMode: mode, wake: undefined };
}

function nextGeneration({ workspace, mode, now }: RestartRequest, check: Partial<RepositoryCheck>) {
  const { workspaceId, userId, generation, nodeId } = workspace;
  return workspaceChange({
    workspaceId,
    move: 'restart',
    to: 'pending',
    // `nodeId` stays: that node has the files, and a deletion has to ask it.
    set: {
      ...check,
      ...noWaitingStep,
      ...neverWaited,
      ...noWake,
      ...noEviction,
      generation: generation + 1,
      evictionGeneration: newId(now.getTime()),
      restartMode: mode,
      errorMessage: null,
      formerNodeId: nodeId ?? undefined,
    },
    index: notPlaced,
    when: { equals: { userId, generation }, absent: ['deletion'] },
    now,
  });
}

interface RebuildCall {
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly timeoutMs: number;
}

/**
 * Asks the node of a running workspace to rebuild its container; the ready callback ends the
 * rebuild. A node that refuses or does not answer leaves the workspace unchanged. At most two table
 * calls.
 *
 * @throws {workspaceNotInState} another change came first
 * @throws {CodeHostAccessLost} its owner has lost access to the repository
 * @throws {CodeHostUnavailable | NodeRefused | NodeUnreachable}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a refusal of the node gives the workspace its former status back
export async function rebuildOnNode(
  source: UserTokenSource,
  own: WorkspaceWithGrant,
  { keys, now, timeoutMs }: RebuildCall,
): Promise<void> {
  const { workspace } = own;
  const { workspaceId, userId, generation, status } = workspace;
  const address = storedAddressOf(workspace);
  if (!address) throw workspaceNotInState(status, 'Only a workspace on a node can be rebuilt.');
  const { check, renewed } = await requireRepositoryAccess(source, own, now);
  const evictionGeneration = newId(now.getTime());
  const sentEviction = sending(workspace, { nodeId: address.nodeId, evictionGeneration });
  const rebuild = workspaceChange({
    workspaceId,
    move: 'rebuild',
    to: 'rebuilding',
    set: { ...check, ...noSleep, evictionGeneration, sentEviction },
    when: { equals: { userId, generation }, absent: ['deletion', 'wake'] },
    now,
  });
  const claimed = await transactWithGrant(
    source.table,
    [{ update: rebuild }, marker(workspace, now)],
    renewed,
  );
  if (!claimed.committed) throw workspaceNotInState(status, conflicting);
  try {
    const access = { keys, address, now, timeoutMs };
    await restartOrRebuildOnNode(access, workspace, { mode: 'rebuild', sentEviction, body: {} });
  } catch (error) {
    if (error instanceof NodeRefused || error instanceof NodeUnreachable) {
      const to = status === 'recovering' ? 'recovering' : 'running';
      const when = { equals: { generation } };
      const set = notSent(workspace, error);
      await changeWorkspace(source.table, { workspaceId, move: 'notRebuilt', to, set, when, now });
    }
    throw error;
  }
}

/** A node that did not answer may have begun the rebuild: its generation counts too. */
function notSent(
  { evictionGeneration, sentEviction }: Workspace,
  error: Error,
): FieldChanges<Pick<Workspace, 'evictionGeneration' | 'sentEviction'>> {
  const before = { evictionGeneration: evictionGeneration ?? null };
  return error instanceof NodeRefused ? { ...before, sentEviction: sentEviction ?? null } : before;
}

interface RepositoryAccess {
  /** To be stored on the workspace; empty while the last check still counts. */
  readonly check: Partial<RepositoryCheck>;
  readonly renewed: Grant | undefined;
}

/** The last check of the owner's access is recent, or the code host confirms the access now. */
async function requireRepositoryAccess(
  source: UserTokenSource,
  { workspace, grant }: WorkspaceWithGrant,
  now: Date,
): Promise<RepositoryAccess> {
  const { repository } = workspace;
  if (repository === null || isRepositoryChecked(workspace, now)) return { check: {}, renewed: undefined };
  return checkRepository(source, { grant, repository, now });
}

/**
 * Before an evicted workspace is restored for a person: they still have access to its repository.
 * At most one table call.
 *
 * @throws {CodeHostAccessLost | CodeHostUnavailable}
 */
export async function requireAccess(
  source: UserTokenSource,
  own: WorkspaceWithGrant,
  now: Date,
): Promise<void> {
  const { check, renewed } = await requireRepositoryAccess(source, own, now);
  const { workspaceId, generation } = own.workspace;
  if (Object.keys(check).length === 0 && !renewed) return;
  const when = { equals: { generation } };
  const update = workspaceChange({ workspaceId, set: check, when, isInternal: true, now });
  await transactWithGrant(source.table, [{ update }], renewed);
}

const marker = ({ workspaceId: id }: Workspace, now: Date) => ({
  put: pendingReconcileItem({ kind: 'WORKSPACE', id, marker: now.toISOString() }),
  when: {},
});
