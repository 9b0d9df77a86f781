import { InvalidRequest, NotFound } from '../../shared/errors.js';
import type { Installation } from './installation.js';
import { loadAccount } from './load-account.js';
import { openUserToken, type UserTokenSource } from './open-user-token.js';
import { type AccessibleRepository, verifyRepositoryAccess } from './verify-repository-access.js';

export interface RepositoryClaim {
  readonly userId: string;
  readonly installationId: string;
  readonly repository: string;
  readonly now: Date;
}

/**
 * The repository that a user wants to work on, checked with their own authority: the installation
 * is one of theirs, it belongs to the repository's owner, and they can see the repository. One
 * table call, and one more when their token had to be renewed.
 *
 * @throws {NotFound | InvalidRequest | CodeHostAccessLost | CodeHostUnavailable}
 */
export async function authoriseRepository(
  source: UserTokenSource,
  { userId, installationId, repository, now }: RepositoryClaim,
): Promise<AccessibleRepository> {
  const { grant, installations } = await loadAccount(source.table, userId);
  const installation = installations.find((candidate) => candidate.installationId === installationId);
  if (!installation) throw new NotFound('Installation');
  requireCovered(installation, repository);
  const token = await openUserToken(source, { grant, now });
  return verifyRepositoryAccess(source.codeHost, token, repository);
}

/** @throws {InvalidRequest} the installation is of another account than the repository */
export function requireCovered({ accountName }: Installation, repository: string): void {
  const [owner = ''] = repository.split('/');
  if (owner.toLowerCase() === accountName.toLowerCase()) return;
  throw new InvalidRequest('The request is invalid', [
    { field: 'repository', message: `The installation is one of ${accountName}, not of ${owner}` },
  ]);
}
