import type { Checkout, Repository } from './checkouts.js';
import { hashOfListing, type ListedFile } from './file-listing.js';
import { listLooseFiles } from './loose-files.js';
import { listMain, listTrees, type TreeListing } from './tree-listing.js';
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
  /** Their search goes on while the files of the repositories are read. */
  readonly loose: Promise<readonly ListedFile[]>;
  /** Of commits and index, and of names, sizes and times of changed and of loose files. */
  readonly hash: Promise<string>;
}

/** Scripts that list further checkouts, beside the one of the repository's own. */
const scriptsAtOnce = 3;

/** @throws when files change during the listing, also in `loose` and `hash` */
export async function listWork(shell: WorkspaceShell): Promise<WorkListing> {
  const repositories = await listCheckouts(shell);
  const checkouts = checkoutsOf(repositories);
  const loose = listLooseFiles(shell, checkouts);
  const hash = loose.then((files) => hashOf(checkouts, files));
  // Nobody may wait for it after another failure.
  hash.catch(() => undefined);
  return { repositories, loose, hash };
}

/** Equal while nothing changes. */
export const hashOfWork = async (shell: WorkspaceShell): Promise<string> => (await listWork(shell)).hash;

/**
 * Whether the work is as it was listed. The search for loose files needs the checkouts: those of
 * the listing serve, because other checkouts have another hash in any case.
 */
export async function isUnchanged(shell: WorkspaceShell, listing: WorkListing): Promise<boolean> {
  const before = checkoutsOf(listing.repositories);
  const [after, files] = await Promise.all([listCheckouts(shell), listLooseFiles(shell, before)]);
  return hashOf(checkoutsOf(after), files) === (await listing.hash);
}

async function listCheckouts(shell: WorkspaceShell): Promise<ListedRepository[]> {
  const { workDir } = shell.place;
  const { tree, repositories: found } = await listMain(shell);
  const folders = found.flatMap(({ checkouts }) => checkouts.map(({ folder }) => folder));
  const others = await Promise.all(
    shares(folders.filter((folder) => folder !== workDir)).map((share) => listTrees(shell, share)),
  );
  const listings = new Map([[workDir, tree], ...others.flatMap((listed) => [...listed])]);
  return found.map((repository) => ({
    ...repository,
    checkouts: repository.checkouts.map((checkout) => withListing(checkout, listings)),
  }));
}

const checkoutsOf = (repositories: readonly ListedRepository[]): ListedCheckout[] =>
  repositories.flatMap(({ checkouts }) => checkouts);

const hashOf = (checkouts: readonly ListedCheckout[], loose: readonly ListedFile[]): string =>
  hashOfListing([checkouts.map(({ folder, listing }) => [folder, listing.hash]), loose]);

/** Checkouts beside each other often are of the same size. */
const shares = (folders: readonly string[]): string[][] =>
  Array.from({ length: Math.min(scriptsAtOnce, folders.length) }, (_, share) =>
    folders.filter((__, index) => index % scriptsAtOnce === share),
  );

function withListing(checkout: Checkout, listings: ReadonlyMap<string, TreeListing>): ListedCheckout {
  const listing = listings.get(checkout.folder);
  if (!listing) throw new Error(`${checkout.folder} was not listed`);
  return { ...checkout, listing };
}
