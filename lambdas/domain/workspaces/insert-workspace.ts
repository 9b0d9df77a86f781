import { newId } from '../../shared/ids.js';
import type { Table } from '../../shared/table.js';
import { type Grant, grantItem } from '../code-host/grant.js';
import { keepGrant } from '../code-host/open-user-token.js';
import { type RequestKey, requireSameRequest } from '../idempotency/request-key.js';
import { creationItem, WorkspaceCreation } from '../idempotency/workspace-creation.js';
import { requestedReservation } from '../nodes/reservation.js';
import { membershipEnded } from '../projects/errors.js';
import { memberCheck } from '../projects/member.js';
import { pendingReconcileItem } from '../records/pending-reconcile.js';
import { transact } from '../records/transact.js';
import type { User } from '../users/user.js';
import { type Workspace, workspaceItem } from './workspace.js';
import { countWorkspace, workspaceLimitReached } from './workspace-limits.js';

/** Fields of the request; `newWorkspace` adds the rest of the row. */
type NewWorkspace = Pick<
  Workspace,
  | 'workspaceId'
  | 'userId'
  | 'projectId'
  | 'displayName'
  | 'repository'
  | 'cloneUrl'
  | 'installationId'
  | 'branch'
  | 'resourceRequirements'
  | 'repositoryPermission'
  | 'repositoryCheckedAt'
  | 'gitAuthor'
  | 'resolvedReservation'
  | 'reservationNote'
>;

export function newWorkspace(asked: NewWorkspace, now: Date): Workspace {
  const at = now.toISOString();
  return {
    resolvedReservation: requestedReservation(asked.resourceRequirements),
    ...asked,
    status: 'pending',
    generation: 1,
    evictionGeneration: newId(now.getTime()),
    version: 1,
    statusChangedAt: at,
    nodeId: null,
    nodeUrl: null,
    nodeCertificatePem: null,
    dispatchedAt: null,
    readyAt: null,
    errorMessage: null,
    createdAt: at,
    updatedAt: at,
  };
}

/** What is written with the workspace. */
interface Alongside {
  readonly creation?: RequestKey | undefined;
  readonly grant?: Grant | undefined;
}

/**
 * Writes a new workspace. With an idempotency key, a repeat of the same request writes nothing and
 * returns the first id. A renewed grant is stored in any case. One table call, two more when
 * another request or sign-in was first.
 *
 * @throws {idempotencyKeyReused} the key was used with another request
 * @throws {membershipEnded | workspaceLimitReached}
 */

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: each refused write of the one transaction has its own consequence
export async function insertWorkspace(
  table: Table,
  workspace: Workspace,
  { creation, grant }: Alongside = {},
): Promise<{ readonly workspaceId: string }> {
  const { workspaceId } = workspace;
  const marker = pendingReconcileItem({ kind: 'WORKSPACE', id: workspaceId, marker: workspace.createdAt });
  const outcome = await transact(table, [
    { put: workspaceItem(workspace), when: { exists: false } },
    { put: marker, when: {} },
    ...(creation ? [{ put: creationItem(creation, workspace), when: { exists: false } }] : []),
    ...memberCheck(workspace),
    ...(grant ? [{ put: grantItem(grant), when: { equals: { version: grant.version - 1 } } }] : []),
    { update: countWorkspace(workspace.userId) },
  ]);
  if (outcome.committed) return { workspaceId };
  const member = creation ? 3 : 2;
  if (workspace.projectId !== null && outcome.refusals[member]?.failed) throw membershipEnded();

  if (grant) {
    // Nothing was written: the creation key is taken, or a sign-in has stored newer tokens.
    await keepGrant(table, grant);
    return insertWorkspace(table, workspace, { creation });
  }
  const isRepeat = creation !== undefined && outcome.refusals[2]?.failed === true;
  if (!isRepeat && outcome.refusals.at(-1)?.failed) throw workspaceLimitReached();
  const earlier = outcome.refusals[2]?.item;
  if (!creation || !earlier) throw new Error(`The workspace id ${workspaceId} is taken`);
  const first = WorkspaceCreation.parse(earlier);
  requireSameRequest(creation, first);
  return { workspaceId: first.workspaceId };
}

/** The author of commits in the workspaces of a person. */
export function gitAuthorOf({ name, login, email, githubId }: User): NonNullable<Workspace['gitAuthor']> {
  const address = email ?? `${githubId}+${login}@users.noreply.github.com`;
  return { name: (name || login).slice(0, 254), email: address.slice(0, 254) };
}
