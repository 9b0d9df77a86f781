import * as z from 'zod/mini';
import type { CodeHost } from './code-host.js';
import { listAll } from './list-all.js';
import { codeHostRequest } from './request.js';

const RepositoryPage = z.object({
  repositories: z.array(
    z.object({
      id: z.int(),
      full_name: z.string(),
      name: z.string(),
      private: z.boolean(),
      default_branch: z.string(),
    }),
  ),
});

export interface VisibleRepository {
  readonly id: string;
  readonly fullName: string;
  readonly name: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly installationId: string;
}

/** Lists the repositories of an installation that the person can see, with their token. */
export async function listRepositories(
  codeHost: CodeHost,
  { token, installationId }: { readonly token: string; readonly installationId: string },
): Promise<readonly VisibleRepository[]> {
  const { items: found } = await listAll(async (query) => {
    const path = `/user/installations/${installationId}/repositories?${query}` as const;
    const page = await codeHostRequest(codeHost, {
      path,
      token,
      schema: RepositoryPage,
      what: 'Installation',
    });
    return page.repositories;
  });
  return found.map((repository) => ({
    id: String(repository.id),
    fullName: repository.full_name,
    name: repository.name,
    private: repository.private,
    defaultBranch: repository.default_branch,
    installationId,
  }));
}
