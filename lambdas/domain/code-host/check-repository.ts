import { gitTokenCheckSeconds } from '../../../protocol/callbacks.js';
import type { HostRequirements } from '../../../protocol/host-requirements.js';
import type { Workspace } from '../workspaces/workspace.js';
import { askForHostRequirements, type DevContainerQuestion } from './dev-container.js';
import { CodeHostNotFound, repositoryAccessLost } from './errors.js';
import type { Grant } from './grant.js';
import { borrowUserToken, keepGrant, type UserTokenSource } from './open-user-token.js';
import { type AccessibleRepository, verifyRepositoryAccess } from './repository-access.js';

interface RepositoryQuestion {
  /** Of the person whose right is in question. */
  readonly grant: Grant | undefined;
  readonly repository: string;
  readonly now: Date;
  /** Read in the time of the check. */
  readonly devContainer?: Pick<DevContainerQuestion, 'ref'>;
}

interface RepositoryAnswer {
  readonly found: AccessibleRepository;
  /** A renewed grant that is not stored yet. */
  readonly renewed: Grant | undefined;
  /** Of its dev container, if they were asked for. */
  readonly hostRequirements: HostRequirements | undefined;
}

/**
 * Asks the code host for the repository with the person's own token. No table call, unless the
 * answer is no and the token was renewed for it: that is then stored here.
 *
 * @throws {CodeHostNotFound | CodeHostAccessLost | CodeHostUnavailable}
 */
export async function askForRepository(
  source: UserTokenSource,
  { grant, repository, now, devContainer }: RepositoryQuestion,
): Promise<RepositoryAnswer> {
  const { accessToken: token, renewed } = await borrowUserToken(source, { grant, now });
  const { codeHost } = source;
  const asked = devContainer && askForHostRequirements(codeHost, { ...devContainer, token, repository });
  try {
    const found = await verifyRepositoryAccess(codeHost, token, repository);
    return { found, renewed, hostRequirements: await asked };
  } catch (error) {
    if (renewed) await keepGrant(source.table, renewed);
    throw error;
  }
}

/** What the last check found; stored on the workspace. */
export type RepositoryCheck = Pick<Workspace, 'repositoryPermission' | 'repositoryCheckedAt'>;

/** Whether the owner's right is confirmed recently, or the workspace has no repository. */
export function isRepositoryChecked(
  { repository, repositoryCheckedAt }: Pick<Workspace, 'repository' | 'repositoryCheckedAt'>,
  now: Date,
): boolean {
  if (repository === null) return true;
  if (repositoryCheckedAt === undefined) return false;
  const age = now.getTime() - Date.parse(repositoryCheckedAt);
  return age >= 0 && age < gitTokenCheckSeconds * 1_000;
}

/**
 * Confirms that the owner of a workspace still has access to its repository. Changes nothing in the
 * table but a renewed grant that would be lost otherwise; the caller stores `check` and `renewed`.
 *
 * @throws {CodeHostAccessLost | CodeHostUnavailable}
 */
export async function checkRepository(
  source: UserTokenSource,
  { grant, repository, now }: RepositoryQuestion,
): Promise<{ readonly check: RepositoryCheck; readonly renewed: Grant | undefined }> {
  try {
    const { found, renewed } = await askForRepository(source, { grant, repository, now });
    const check = { repositoryPermission: found.permission, repositoryCheckedAt: now.toISOString() };
    return { check, renewed };
  } catch (error) {
    if (error instanceof CodeHostNotFound) throw repositoryAccessLost(repository);
    throw error;
  }
}
