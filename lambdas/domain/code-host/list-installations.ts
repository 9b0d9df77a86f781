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
