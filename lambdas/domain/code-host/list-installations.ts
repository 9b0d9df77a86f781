import * as z from 'zod/mini';
import type { CodeHost } from './code-host.js';
import { listAll } from './list-all.js';
import { codeHostRequest } from './request.js';

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

export async function listInstallations(
  codeHost: CodeHost,
  token: string,
): Promise<readonly VisibleInstallation[]> {
  const found = await listAll(async (query) => {
    const path = `/user/installations?${query}` as const;
    const page = await codeHostRequest(codeHost, {
      path,
      token,
      schema: InstallationPage,
      what: 'Installation',
    });
    return page.installations;
  });
  return found.map(({ id, account }) => ({
    installationId: String(id),
    accountName: account.login,
    accountType: account.type === 'Organization' ? 'organization' : 'personal',
  }));
}
