import type { SnapshotTree } from '../../../protocol/snapshots.js';
import { modesSection } from './file-modes.js';
import type { Section } from './section-writer.js';
import type { SnapshotBudget } from './snapshot-budget.js';
import { isFolder, type TreeListing } from './tree-listing.js';
import { namesEndedByNul, packFiles, type WorkspaceShell } from './workspace-shell.js';

interface TreeCapture {
  readonly folder: string;
  readonly listing: TreeListing;
  /** Begin of the names of its sections. */
  readonly section: string;
  readonly budget: SnapshotBudget;
}

interface CapturedTree {
  readonly tree: Omit<SnapshotTree, 'worktree'>;
  readonly sections: readonly Section[];
}

/** The changed, untracked and deleted files of one checkout. */
export function captureTree(
  shell: WorkspaceShell,
  { folder, listing, section, budget }: TreeCapture,
): CapturedTree {
  const skippedBefore = budget.skipped.length;
  const { head, branch, upstream, statusSha256, gone, changed, modes } = listing;
  const path = folder.slice(shell.place.root.length + 1);
  const files = changed.filter(({ mode }) => !isFolder(mode));
  const selected = budget.select(files, folder === shell.place.workDir ? '' : `${path}/`);
  const isWhole = budget.skipped.length === skippedBefore;
  return {
    tree: { path, head, branch, upstream, statusSha256: isWhole ? statusSha256 : null },
    sections: [
      { name: `${section}/gone`, content: namesEndedByNul(gone) },
      { name: `${section}/files`, content: packFiles(shell, folder, selected) },
      ...modesSection(`${section}/modes`, modes),
    ],
  };
}
