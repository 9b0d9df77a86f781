import * as z from 'zod/mini';
import type { CodeHost, RepositoryPermission } from './code-host.js';
import { codeHostRequest } from './request.js';

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
