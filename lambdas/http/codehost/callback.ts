// GET /api/codehost/callback
// Authorised by its own proof: a signed-in person's token must show them the installation. Signed
// out, it does nothing but send the browser to sign in.

import { loadAccount } from '../../domain/code-host/grant.js';
import { goneInstallations } from '../../domain/code-host/installation.js';
import { openUserToken } from '../../domain/code-host/open-user-token.js';
import { recordInstallation } from '../../domain/code-host/record-installation.js';
import { listInstallations } from '../../domain/code-host/visible-repositories.js';
import { ownRoute } from '../../edge/anonymous-routes.js';
import { codeHost } from '../../edge/code-host.js';
import { requireSession } from '../../edge/require-session.js';
import { secretBox } from '../../edge/secret-box.js';
import { DomainError, Unauthenticated } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { callback } from './contract.js';

export const handler = ownRoute(callback, async (call) => {
  const { query, table, now, log } = call;
  const installationId = query.installation_id ?? '';
  try {
    const { userId } = await requireSession(table, call);
    const isVisible = await recordIfVisible(table, { userId, installationId, now });
    return redirect(isVisible ? installed : failed('installation_not_accessible'));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error instanceof Unauthenticated) return redirect(signedOut(installationId));
    log.info('Installation not recorded', { code: error.code, cause: error.cause });
    return redirect(failed(reasons[error.code] ?? 'installation_lookup_failed'));
  }
});

const installed = '/settings?github_app=installed';
const failed = (reason: string) => `/settings?github_app=error&reason=${reason}`;
const signedOut = (installationId: string) => (installationId ? `/?installation_id=${installationId}` : '/');
const redirect = (location: string) => ({ status: 302, headers: { location } }) as const;

const reasons: Readonly<Record<string, string>> = { CODE_HOST_ACCESS_LOST: 'github_user_token_unavailable' };

interface Claim {
  readonly userId: string;
  readonly installationId: string;
  readonly now: Date;
}

// The id in the address is anybody's to write: only what the code host shows this very person is
// recorded.
async function recordIfVisible(table: Table, { userId, installationId, now }: Claim): Promise<boolean> {
  const { grant, installations: recorded } = await loadAccount(table, userId);
  const token = await openUserToken({ table, secrets: secretBox, codeHost }, { grant, now });
  const visible = await listInstallations(codeHost, token);
  const seen = visible.installations.find((installation) => installation.installationId === installationId);
  if (!seen) return false;
  await recordInstallation(table, { userId, now }, { seen, gone: goneInstallations(recorded, visible) });
  return true;
}
