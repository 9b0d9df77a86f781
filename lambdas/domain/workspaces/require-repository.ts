import { checkRepository, isRepositoryChecked, type RepositoryCheck } from '../code-host/check-repository.js';
import type { Grant } from '../code-host/grant.js';
import type { UserTokenSource } from '../code-host/open-user-token.js';
import type { OwnWorkspace } from './load-with-grant.js';

export interface ConfirmedRepository {
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
export async function requireRepository(
  source: UserTokenSource,
  { seen, grant }: OwnWorkspace,
  now: Date,
): Promise<ConfirmedRepository> {
  const { repository } = seen;
  if (repository === null || isRepositoryChecked(seen, now)) return { check: {}, renewed: undefined };
  return checkRepository(source, { grant, repository, now });
}
