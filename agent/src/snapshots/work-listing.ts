import { type Checkout, listRepositories, type Repository } from './checkouts.js';
import { hashOfListing, type ListedFile } from './file-listing.js';
import { listLooseFiles } from './loose-files.js';
import { listTree, type TreeListing } from './tree-listing.js';
import type { WorkspaceShell } from './workspace-shell.js';

interface ListedCheckout extends Checkout {
  readonly listing: TreeListing;
}

export interface ListedRepository extends Omit<Repository, 'checkouts'> {
  readonly checkouts: readonly ListedCheckout[];
}

/** What a snapshot captures of the work, within no limits. */
export interface WorkListing {
  readonly repositories: readonly ListedRepository[];
  readonly loose: readonly ListedFile[];
  /** Of commits and index, and of names, sizes and times of changed and of loose files. */
  readonly hash: string;
}

/** @throws when files change during the listing */
export async function listWork(shell: WorkspaceShell): Promise<WorkListing> {
  const { root, workDir } = shell.place;
  // The one checkout that is always there, beside the search for the others.
  const main = listTree(shell, workDir);
  main.catch(() => undefined);
  const found = await listRepositories(shell);
  const folders = found.flatMap(({ checkouts }) => checkouts.map(({ folder }) => folder));
  const [repositories, loose] = await Promise.all([
    listCheckouts(shell, found, main),
    listLooseFiles(
      shell,
      folders.map((folder) => folder.slice(root.length + 1)),
    ),
  ]);
  const hashes = repositories.flatMap(({ checkouts }) =>
    checkouts.map(({ folder, listing }) => [folder, listing.hash]),
  );
  return { repositories, loose, hash: hashOfListing([hashes, loose]) };
}

async function listCheckouts(
  shell: WorkspaceShell,
  found: readonly Repository[],
  main: Promise<TreeListing>,
): Promise<ListedRepository[]> {
  const repositories: ListedRepository[] = [];
  for (const repository of found) {
    const checkouts: ListedCheckout[] = [];
    for (const checkout of repository.checkouts) {
      const isMain = checkout.folder === shell.place.workDir;
      checkouts.push({ ...checkout, listing: await (isMain ? main : listTree(shell, checkout.folder)) });
    }
    repositories.push({ ...repository, checkouts });
  }
  return repositories;
}
