import { DomainError } from '../../shared/errors.js';
import { getItems } from '../records/batch-items.js';
import { transact } from '../records/transact.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { CodeHost } from './code-host.js';
import { gitTokenKey, openGitToken, StoredGitToken } from './git-token.js';
import type { UserTokenSource } from './open-user-token.js';
import { revokeGitToken } from './revoke-git-token.js';

type Owned = Pick<Workspace, 'workspaceId' | 'userId'>;

/** Ends the token that a workspace was given last, where there is one. Two table calls at most; repeatable. */
export async function endLastGitToken(source: UserTokenSource, owned: Owned): Promise<void> {
  const key = gitTokenKey(owned.workspaceId);
  const found = (await getItems(source.table, [key]))(key);
  if (found) await endGitToken(source, owned, StoredGitToken.parse(found));
}

/**
 * Revokes the stored token and forgets it. While the code host does not answer it stays for the next attempt, or until
 * it ends by itself. One table call.
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

/** Whether the code host takes the token no more. */
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
