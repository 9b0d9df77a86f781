import * as z from 'zod/mini';
import { GitDiff } from '../../../protocol/workspace-files.js';
import type { ReadNode } from '../workspaces/use-node.js';

/** From the node, by `GET /workspaces/{workspaceId}/git/branches`. */
const Branches = z.object({
  branches: z.array(z.object({ name: z.string(), isCurrent: z.boolean(), isRemote: z.boolean() })),
});

interface Named {
  readonly path: string;
}
type Uncommitted = Readonly<Record<'staged' | 'unstaged' | 'untracked', readonly Named[]>>;

/** What would be lost with the workspace, as sentences. */
export async function unpushedWork(
  read: ReadNode,
  status: Uncommitted,
  defaultBranch: string,
): Promise<readonly string[]> {
  const { branches } = await read({ path: 'git/branches', reads: Branches });
  const current = branches.find(({ isCurrent }) => isCurrent);
  const tracked = new Set([...status.staged, ...status.unstaged].map(({ path }) => path));
  const files = tracked.size + status.untracked.length;
  const sentences =
    files === 0
      ? []
      : [`${files === 1 ? '1 file has' : `${files} files have`} changes that are not committed.`];
  // Changes that are not committed are part of this diff too, and then say nothing of commits.
  if (!current || tracked.size > 0) return sentences;
  const base = `origin/${current.isRemote ? current.name : defaultBranch}`;
  const { diff } = await read({ path: 'git/diff', query: { base }, reads: GitDiff });
  return diff === '' ? sentences : [...sentences, `Commits of ${current.name} are not pushed.`];
}
