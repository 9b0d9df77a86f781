import * as z from 'zod/mini';
import { tool } from '../tool.js';

export const getWorkspaceInfo = tool({
  name: 'get_workspace_info',
  description: 'The workspace in which you work: its repository, branch and state, and since when it runs.',
  rights: { capability: 'workspace:read' },
  isReadOnly: true,
  args: z.strictObject({}),
  handle: async (_args, { caller: { workspace } }) => {
    const { workspaceId, displayName, status, generation, nodeId, repository, branch } = workspace;
    const { baseBranch = null, lightweight = false, devcontainerConfigName = null } = workspace;
    const { createdAt, readyAt } = workspace;
    return {
      ...{ workspaceId, displayName, status, generation, nodeId, repository, branch, baseBranch },
      ...{ workspaceProfile: lightweight ? 'lightweight' : 'full', devcontainerConfigName },
      ...{ createdAt, readyAt },
    };
  },
});
