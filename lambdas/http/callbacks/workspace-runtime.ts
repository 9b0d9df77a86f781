// GET /api/workspaces/{workspaceId}/runtime
import { workspaceCallbackRoute } from '../../edge/callback-routes.js';
import { workspaceRuntime } from './contract.js';
import { usableWorkspace } from './usable-workspace.js';

export const handler = workspaceCallbackRoute(workspaceRuntime, async (call) => {
  const { workspaceId, generation, repository, cloneUrl, branch, ...rest } = await usableWorkspace(call);
  const { baseBranch = null, gitAuthor, devcontainerConfigName = null } = rest;
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      ...{ workspaceId, generation, repository, cloneUrl, branch, baseBranch, devcontainerConfigName },
      gitUserName: gitAuthor?.name ?? null,
      gitUserEmail: gitAuthor?.email ?? null,
    },
  };
});
