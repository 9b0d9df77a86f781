import { getItems } from '../records/batch-items.js';
import { transact } from '../records/transact.js';
import type { Workspace } from '../workspaces/workspace.js';
import { gitTokenKey, openGitToken, StoredGitToken } from './git-token.js';
import type { UserTokenSource } from './open-user-token.js';
import { revokeGitToken } from './revoke-git-token.js';

/** What one batch may read. */
const batchSize = 100;

/**
 * Ends the git tokens that these workspaces were given last: a copy of one would serve for up to an hour. A repeat finds only
 * those that are left. A table call for each hundred workspaces, and one for each token.
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
  // A newer one was minted in another life of the workspace, in the right of that moment.
  await transact(table, [{ delete: gitTokenKey(workspace.workspaceId), when }]);
}
