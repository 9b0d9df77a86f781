import type { SnapshotTree } from '../../../protocol/snapshots.js';
import type { ArchiveWriter } from './archive.js';
import { captureModes } from './file-modes.js';
import type { SnapshotBudget } from './snapshot-budget.js';
import { isFolder, type TreeListing } from './tree-listing.js';
import { namesEndedByNul, packFiles, type WorkspaceShell } from './workspace-shell.js';

interface TreeCapture {
  readonly folder: string;
  readonly listing: TreeListing;
  readonly section: string;
  readonly budget: SnapshotBudget;
  readonly archive: ArchiveWriter;
}

/** Captures the changed, untracked and deleted files of one checkout. */
export async function captureTree(
  shell: WorkspaceShell,
  { folder, listing, section, budget, archive }: TreeCapture,
): Promise<Omit<SnapshotTree, 'worktree'>> {
  const skippedBefore = budget.skipped.length;
  const { head, statusSha256, gone, changed, modes } = listing;
  await archive.add(`${section}/gone`, namesEndedByNul(gone));
  const path = folder.slice(shell.place.root.length + 1);
  const files = changed.filter(({ mode }) => !isFolder(mode));
  const selected = budget.select(files, folder === shell.place.workDir ? '' : `${path}/`);
  await archive.add(`${section}/files`, await packFiles(shell, folder, selected));
  await captureModes(archive, `${section}/modes`, modes);
  const isWhole = budget.skipped.length === skippedBefore;
  return { path, head, statusSha256: isWhole ? statusSha256 : null };
}
