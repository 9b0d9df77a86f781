import * as z from 'zod/mini';
import { readGitChanges } from '../../node-client/git-changes.js';
import { nodeTimeouts } from '../../node-client/node-access.js';
import { callAtCurrentAddress } from '../../node-client/node-address.js';
import { allow } from '../../policy/allow.js';
import { summaryOf, uncommitted } from '../diff-summary.js';
import { tool } from '../tool.js';

export const getWorkspaceDiffSummary = tool({
  name: 'get_workspace_diff_summary',
  description:
    'Return how the files of your workspace have changed: sinceBase counts files, additions and deletions since the branch started (since the last commit in a workspace without a base branch), and uncommitted lists what is not committed. At most 100 files with 16,000 characters of paths each; truncated is true when there are more. It returns no content: use git in the workspace for that. It takes no arguments. Changes nothing.',
  policy: { equals: ['workspace.read'] },
  isReadOnly: true,
  args: z.strictObject({}),
  handle: async (_args, { caller, table, keys, now }) => {
    const workspace = allow('workspace.read', caller, caller.workspace);
    const { baseBranch, branch } = workspace;
    const base = baseBranch === undefined ? 'HEAD' : `origin/${baseBranch}`;
    const timeoutMs = nodeTimeouts.request;
    const { status, diff } = await callAtCurrentAddress(table, workspace, (address) =>
      readGitChanges({ keys, address, now, timeoutMs }, workspace, base),
    );
    return {
      ...{ branch, baseBranch: baseBranch ?? null },
      sinceBase: summaryOf(diff.diff, diff.truncated),
      uncommitted: uncommitted(status),
    };
  },
});
