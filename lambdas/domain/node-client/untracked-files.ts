import { GitDiff } from '../../../protocol/workspace-files.js';
import { DomainError } from '../../shared/errors.js';
import type { Workspace } from '../workspaces/workspace.js';
import { readOnNode } from './file-calls.js';
import type { GitChanges } from './git-changes.js';
import type { NodeAccess } from './node-access.js';

/** They are read at the same time. */
const maxFiles = 20;
/** Of the diff with them. */
const maxLength = 1024 * 1024;

/**
 * Adds the content of untracked files to a diff, which git leaves out. Files beyond the limits, and
 * those that the node refuses, are only in the list of the status.
 */
export async function withUntracked(
  access: NodeAccess,
  workspace: Pick<Workspace, 'workspaceId' | 'userId'>,
  { status, diff }: GitChanges,
): Promise<GitChanges> {
  // The end of a diff that was cut off is in the midst of a file.
  if (diff.truncated) return { status, diff };
  const read = async ({ path }: { readonly path: string }): Promise<string> => {
    try {
      const query = { path };
      const added = await readOnNode(access, workspace, { path: 'git/diff', query, reply: GitDiff });
      return added.truncated ? '' : added.diff;
    } catch (error) {
      if (error instanceof DomainError) return '';
      throw error;
    }
  };
  let text = diff.diff;
  for (const added of await Promise.all(status.untracked.slice(0, maxFiles).map(read)))
    if (text.length + added.length <= maxLength) text += added;
  return { status, diff: { ...diff, diff: text } };
}
