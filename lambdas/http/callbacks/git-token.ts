// POST /api/workspaces/{workspaceId}/git-token
import { giveGitToken } from '../../domain/code-host/give-git-token.js';
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { codeHost } from '../../edge/code-host.js';
import { secretBox } from '../../edge/secret-box.js';
import { NotFound } from '../../shared/errors.js';
import { gitToken } from './contract.js';
import { usableWorkspaceWithToken } from './usable-workspace.js';

/** The name that the code host expects beside an installation's token. */
const username = 'x-access-token';

export const handler = workspaceCallbackRoute(gitToken, async (call) => {
  const { body, table, now } = call;
  const { workspace, stored, grant } = await usableWorkspaceWithToken(call);
  const { installationId, repository, cloneUrl } = workspace;
  if (!installationId || !repository || !cloneUrl) throw new NotFound('Repository of the workspace');
  const { token, expiresAt } = await giveGitToken(
    { table, secrets: secretBox, codeHost },
    { workspace, stored, grant, isRefused: body.renew === true, now },
  );
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: { token, expiresAt, username, host: new URL(cloneUrl).host, cloneUrl, apiUrl: codeHost.apiUrl },
  };
});
