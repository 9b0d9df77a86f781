import type * as z from 'zod/mini';
import { GitDiff, GitStatus } from '../../../protocol/workspace-files.js';
import type { Workspace } from '../workspaces/workspace.js';
import { readOnNode } from './file-calls.js';
import type { NodeAccess } from './node-access.js';

export interface GitChanges {
  readonly status: z.output<typeof GitStatus>;
  readonly diff: z.output<typeof GitDiff>;
}

/**
 * The git status of a workspace, and its diff against a revision, by two calls at the same time.
 *
 * @throws {DomainError} as `readOnNode`
 */
export async function readGitChanges(
  access: NodeAccess,
  workspace: Pick<Workspace, 'workspaceId' | 'userId'>,
  base: string,
): Promise<GitChanges> {
  const [status, diff] = await Promise.all([
    readOnNode(access, workspace, { path: 'git/status', reply: GitStatus }),
    readOnNode(access, workspace, { path: 'git/diff', query: { base }, reply: GitDiff }),
  ]);
  return { status, diff };
}
