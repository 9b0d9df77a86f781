import * as z from 'zod/mini';
import type { CodeHost } from './code-host.js';
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

interface VisibleRepository {
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

/** 1000 items at 100 a page; bounds the calls to the code host. */
const maxPages = 10;
const pageSize = 100;

/** Reads the pages of a list one by one until one is not full, or says that there may be more. */
export async function listAll<Item>(
  readPage: (query: string) => Promise<readonly Item[]>,
): Promise<{ readonly items: readonly Item[]; readonly isComplete: boolean }> {
  const items: Item[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const found = await readPage(`per_page=${pageSize}&page=${page}`);
    items.push(...found);
    if (found.length < pageSize) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}

const InstallationPage = z.object({
  installations: z.array(
    z.object({
      id: z.int(),
      account: z.object({ login: z.string(), type: z._default(z.string(), 'User') }),
    }),
  ),
});

/** An installation of our application that this person can see. */
export interface VisibleInstallation {
  readonly installationId: string;
  readonly accountName: string;
  readonly accountType: 'personal' | 'organization';
}

export interface VisibleInstallations {
  readonly installations: readonly VisibleInstallation[];
  readonly isComplete: boolean;
}

export async function listInstallations(codeHost: CodeHost, token: string): Promise<VisibleInstallations> {
  const { items, isComplete } = await listAll(async (query) => {
    const path = `/user/installations?${query}` as const;
    const page = await codeHostRequest(codeHost, {
      path,
      token,
      schema: InstallationPage,
      what: 'Installation',
    });
    return page.installations;
  });
  const installations = items.map(
    ({ id, account }): VisibleInstallation => ({
      installationId: String(id),
      accountName: account.login,
      accountType: account.type === 'Organization' ? 'organization' : 'personal',
    }),
  );
  return { installations, isComplete };
}
