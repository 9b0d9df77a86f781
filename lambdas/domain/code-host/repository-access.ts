import * as z from 'zod/mini';
import { InvalidRequest, NotFound } from '../../shared/errors.js';
import type { CodeHost, RepositoryPermission } from './code-host.js';
import { loadAccount } from './grant.js';
import type { Installation } from './installation.js';
import { openUserToken, type UserTokenSource } from './open-user-token.js';
import { codeHostRequest } from './request.js';

interface RepositoryClaim {
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

const Repository = z.object({
  id: z.int(),
  full_name: z.string(),
  default_branch: z.string(),
  clone_url: z.optional(z.string()),
  /** Of the person whose token asks. */
  permissions: z.optional(z.object({ push: z.boolean() })),
});

export interface AccessibleRepository {
  readonly id: string;
  /** As the code host spells it. */
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly cloneUrl: string;
  /**
   * What this person may do there themselves: a token made for them must not be able to do more.
   */
  readonly permission: RepositoryPermission;
}

/**
 * The repository, if this person can see it by their own authority.
 *
 * @throws {CodeHostNotFound} there is none, or none for them
 */
export async function verifyRepositoryAccess(
  codeHost: CodeHost,
  userToken: string,
  repository: string,
): Promise<AccessibleRepository> {
  const found = await codeHostRequest(codeHost, {
    path: `/repos/${repository}`,
    token: userToken,
    schema: Repository,
    what: 'Repository',
  });
  return {
    id: String(found.id),
    fullName: found.full_name,
    defaultBranch: found.default_branch,
    cloneUrl: found.clone_url ?? `${codeHost.webUrl}/${found.full_name}.git`,
    // A code host that does not say is taken to have said no.
    permission: found.permissions?.push ? 'write' : 'read',
  };
}
