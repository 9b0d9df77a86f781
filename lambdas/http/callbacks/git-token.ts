// POST /api/workspaces/{workspaceId}/git-token
import { mintGitToken } from '../../domain/code-host/mint-git-token.js';
import { codeHost } from '../../edge/code-host.js';
import { workspaceCallbackRoute } from '../../edge/workspace-callback-route.js';
import { NotFound } from '../../shared/errors.js';
import { gitToken } from './contract.js';
import { usableWorkspace } from './usable-workspace.js';

/** The name that the code host expects beside an installation's token. */
const username = 'x-access-token';

export const handler = workspaceCallbackRoute(gitToken, async (call) => {
  const { now } = call;
  const workspace = await usableWorkspace(call);
  const { installationId, repository, cloneUrl, repositoryPermission: permission = 'read' } = workspace;
  if (!installationId || !repository || !cloneUrl) throw new NotFound('Repository of the workspace');
  const { token, expiresAt } = await mintGitToken(codeHost, {
    installationId,
    repository,
    permission,
    now,
  });
  return { status: 200, body: { token, expiresAt, username, host: new URL(cloneUrl).host, cloneUrl } };
});
