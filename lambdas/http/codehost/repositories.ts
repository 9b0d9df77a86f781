// GET /api/codehost/repositories

import { loadAccount } from '../../domain/code-host/grant.js';
import type { Installation } from '../../domain/code-host/installation.js';
import { openUserToken } from '../../domain/code-host/open-user-token.js';
import { listRepositories } from '../../domain/code-host/visible-repositories.js';
import { codeHost } from '../../edge/code-host.js';
import { secretBox } from '../../edge/secret-box.js';
import { sessionRoute } from '../../edge/session-route.js';
import { DomainError, NotFound } from '../../shared/errors.js';
import { repositories as contract } from './contract.js';

export const handler = sessionRoute(contract, async ({ query, user, table, now, log }) => {
  const { grant, installations } = await loadAccount(table, user.userId);
  const wanted = select(installations, query.installation_id);
  if (wanted.length === 0) return { status: 200, body: { ...none, installUrl: installUrl() } };

  const token = await openUserToken({ table, secrets: secretBox, codeHost }, { grant, now });
  const read = await Promise.all(wanted.map((installation) => tryList(installation, token)));
  const failed = read.flatMap(({ failure }) => (failure ? [failure] : []));
  for (const { accountName, error } of failed)
    log.warn('Installation not read', { accountName, code: error.code });
  // When nothing could be read, an empty list would say that there is nothing.
  const [first] = failed;
  if (first && failed.length === wanted.length) throw first.error;

  return {
    status: 200,
    body: {
      ...none,
      repositories: read.flatMap(({ found }) => found),
      ...(first ? { failedInstallations: failed.map(({ accountName }) => accountName) } : {}),
      installUrl: installUrl(),
    },
  };
});

const none = { repositories: [], nextCursor: null };

const installUrl = (): string | null =>
  codeHost.appSlug ? `${codeHost.webUrl}/apps/${codeHost.appSlug}/installations/new` : null;

function select(installations: readonly Installation[], id: string | undefined): readonly Installation[] {
  if (id === undefined) return installations;
  const wanted = installations.filter(({ installationId }) => installationId === id);
  if (wanted.length === 0) throw new NotFound('Installation');
  return wanted;
}

async function tryList({ installationId, accountName }: Installation, token: string) {
  try {
    return { found: await listRepositories(codeHost, { token, installationId }) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { found: [], failure: { accountName, error } };
  }
}
