import * as z from 'zod/mini';
import { allow } from '../../policy/allow.js';
import { tool } from '../tool.js';

export const getWorkspaceInfo = tool({
  name: 'get_workspace_info',
  description:
    'Return your workspace: repository, branch, status, generation and the time at which it became ready. Call get_workspace_diff_summary for the changes of its files. It takes no arguments. Changes nothing.',
  policy: { equals: ['workspace.read'] },
  isReadOnly: true,
  args: z.strictObject({}),
  handle: async (_args, { caller }) => {
    const workspace = allow('workspace.read', caller, caller.workspace);
    const { workspaceId, displayName, status, generation, nodeId, repository, branch } = workspace;
    const { baseBranch = null, lightweight = false, devcontainerConfigName = null } = workspace;
    const { createdAt, readyAt } = workspace;
    return {
      workspaceId,
      displayName,
      status,
      generation,
      nodeId,
      repository,
      branch,
      baseBranch,
      workspaceProfile: lightweight ? 'lightweight' : 'full',
      devcontainerConfigName,
      createdAt,
      readyAt,
    };
  },
});
