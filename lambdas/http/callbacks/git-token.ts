// POST /api/workspaces/{workspaceId}/git-token
import { mintGitToken } from '../../domain/code-host/mint-git-token.js';
import { StaleGeneration } from '../../domain/workspaces/errors.js';
import { findWorkspace, requireLife } from '../../domain/workspaces/find-workspace.js';
import { isUsable } from '../../domain/workspaces/workspace-status.js';
import { codeHost } from '../../edge/code-host.js';
import { workspaceCallbackRoute } from '../../edge/workspace-callback-route.js';
import { NotFound } from '../../shared/errors.js';
import { gitToken } from './contract.js';

/** The name that the code host expects beside an installation's token. */
const username = 'x-access-token';

export const handler = workspaceCallbackRoute(
  gitToken,
  async ({ workspaceId, nodeId, generation, table, now }) => {
    const life = { workspaceId, nodeId, generation };
    const workspace = requireLife(await findWorkspace(table, workspaceId), life);
    // What is being stopped or has failed needs no key to the repository any more.
    if (workspace.status !== 'provisioning' && !isUsable(workspace.status)) {
      throw new StaleGeneration(workspaceId, generation);
    }
    const { installationId, repository, cloneUrl, repositoryPermission: permission = 'read' } = workspace;
    if (!installationId || !repository || !cloneUrl) throw new NotFound('Repository of the workspace');
    const { token, expiresAt } = await mintGitToken(codeHost, {
      installationId,
      repository,
      permission,
      now,
    });
    return { status: 200, body: { token, expiresAt, username, host: new URL(cloneUrl).host, cloneUrl } };
  },
);
