import * as z from 'zod/mini';
import { GitStatus } from '../../../../protocol/workspace-files.js';
import { readOnNode } from '../../nodes/node-files.js';
import { nodeTimeouts } from '../../nodes/node-timeouts.js';
import { reachNode } from '../../nodes/reach-node.js';
import { tool } from '../tool.js';

/** Of each kind: what a model can use, and no more. */
const maxFiles = 100;

export const getWorkspaceDiffSummary = tool({
  name: 'get_workspace_diff_summary',
  description: `Which files of your workspace are staged, changed or untracked, ${maxFiles} of each at most, with how many there are.`,
  rights: { capability: 'workspace:read' },
  isReadOnly: true,
  args: z.strictObject({}),
  handle: async (_args, { caller: { workspace }, table, keys, now }) => {
    const status = await reachNode(table, workspace, (address) =>
      readOnNode({ keys, address, now, timeoutMs: nodeTimeouts.request }, workspace, {
        path: 'git/status',
        reply: GitStatus,
      }),
    );
    const { staged, unstaged, untracked, truncated } = status;
    return {
      branch: workspace.branch,
      ...{ staged: few(staged), unstaged: few(unstaged), untracked: few(untracked) },
      counts: { staged: staged.length, unstaged: unstaged.length, untracked: untracked.length },
      truncated: truncated || [staged, unstaged, untracked].some(({ length }) => length > maxFiles),
    };
  },
});

const few = <File>(files: readonly File[]): readonly File[] => files.slice(0, maxFiles);
