import * as z from 'zod/mini';
import { DomainError } from '../../shared/errors.js';
import { getItem, getItems } from '../records/batch-items.js';
import { transact } from '../records/transact.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { CodeHost } from './code-host.js';
import { CodeHostAccessLost } from './errors.js';
import { gitTokenKey, openGitToken, StoredGitToken } from './git-token.js';
import type { UserTokenSource } from './open-user-token.js';
import { codeHostRequest } from './request.js';

type Owned = Pick<Workspace, 'workspaceId' | 'userId'>;

/** Revokes the latest git token of a workspace, if any. At most two table calls; repeatable. */
export async function endLastGitToken(source: UserTokenSource, owned: Owned): Promise<void> {
  const key = gitTokenKey(owned.workspaceId);
  const found = await getItem(source.table, key);
  if (found) await endGitToken(source, owned, StoredGitToken.parse(found));
}

/**
 * Revokes the stored token and forgets it. While the code host does not answer it stays for the
 * next attempt, or until the token expires. One table call.
 */
export async function endGitToken(
  source: UserTokenSource,
  owned: Owned,
  stored: StoredGitToken,
): Promise<void> {
  if (!(await revokeStored(source, owned, stored))) return;
  await transact(source.table, [
    { delete: gitTokenKey(owned.workspaceId), when: { equals: { mintedAt: stored.mintedAt } } },
  ]);
}

/** Whether the code host no longer accepts the token. */
export async function revokeStored(
  { secrets, codeHost }: UserTokenSource,
  owned: Owned,
  stored: StoredGitToken,
): Promise<boolean> {
  return tryToRevoke(codeHost, async () => (await openGitToken(secrets, owned, stored)).token);
}

export async function tryToRevoke(codeHost: CodeHost, token: () => Promise<string>): Promise<boolean> {
  try {
    await revokeGitToken(codeHost, await token());
    return true;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return false;
  }
}

/**
 * Ends an installation token at the code host. A token that has ended already is no failure.
 *
 * @throws {CodeHostUnavailable} it may still work
 */
async function revokeGitToken(codeHost: CodeHost, token: string): Promise<void> {
  try {
    await codeHostRequest(codeHost, {
      method: 'DELETE',
      path: '/installation/token',
      token,
      schema: z.unknown(),
      what: 'Token',
    });
  } catch (error) {
    if (!(error instanceof CodeHostAccessLost)) throw error;
  }
}

/** What one batch may read. */
const batchSize = 100;
/**
 * Ends the git tokens that these workspaces were given last: a copy of one would serve for up to an
 * hour. A repeat finds only those that are left. A table call for each hundred workspaces, and one
 * for each token.
 *
 * @throws {CodeHostUnavailable} some may still work
 */
export async function revokeTokensOf(
  source: UserTokenSource,
  workspaces: readonly Pick<Workspace, 'workspaceId' | 'userId'>[],
): Promise<void> {
  for (let from = 0; from < workspaces.length; from += batchSize) {
    const some = workspaces.slice(from, from + batchSize);
    const find = await getItems(
      source.table,
      some.map(({ workspaceId }) => gitTokenKey(workspaceId)),
    );
    for (const workspace of some) {
      const item = find(gitTokenKey(workspace.workspaceId));
      if (item) await revokeTokenOf(source, workspace, StoredGitToken.parse(item));
    }
  }
}

async function revokeTokenOf(
  { table, secrets, codeHost }: UserTokenSource,
  workspace: Pick<Workspace, 'workspaceId' | 'userId'>,
  stored: StoredGitToken,
): Promise<void> {
  const { token } = await openGitToken(secrets, workspace, stored);
  await revokeGitToken(codeHost, token);
  const when = { equals: { mintedAt: stored.mintedAt } };
  // A newer token belongs to another generation of the workspace and stays.
  await transact(table, [{ delete: gitTokenKey(workspace.workspaceId), when }]);
}
