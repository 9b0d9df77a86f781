import {
  maxSnapshotRepositories,
  maxSnapshotTrees,
  type SnapshotRepository,
  type SnapshotTree,
} from '../../../protocol/snapshots.js';
import { AgentError } from '../errors.js';
import { offlineGit } from '../git/hardened-git.js';
import type { ArchiveWriter } from './archive.js';
import { captureTree } from './capture-tree.js';
import { captureLooseFiles } from './loose-files.js';
import type { SnapshotBudget } from './snapshot-budget.js';
import { isKeptSetting } from './snapshot-rules.js';
import type { ListedRepository, WorkListing } from './work-listing.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** Files of the git folder except objects, settings and remote refs. */
const metaScript = offlineGit(`
cd "$(git rev-parse --git-common-dir)" || exit 1
find . \\( -path ./objects -o -path ./modules -o -path ./logs/refs/remotes -o -path ./refs -o -path ./lfs \\) -prune \\
  -o -type f \\( -path './*_HEAD' -o -path './MERGE_*' -o -path ./HEAD -o -path ./index -o -path './sharedindex.*' \\
  -o -path ./AUTO_MERGE -o -path ./SQUASH_MSG -o -path './BISECT_*' -o -path './rebase-merge/*' -o -path './rebase-apply/*' \\
  -o -path './sequencer/*' -o -path './rr-cache/*' -o -path './logs/*' -o -path './info/*' -o -path './hooks/*' \\
  -o -path './worktrees/*' \\) ! -name '*.lock' ! -name '*.sample' ! -path ./FETCH_HEAD -print | tar -cf - -T -`);

/** Objects that local refs, logs, the index or an unfinished operation name. */
const packScript = offlineGit(`
common=$(git rev-parse --git-common-dir)
partial=
[ -z "$(git config --get-regexp '^remote\\..*\\.promisor$')" ] || partial=--exclude-promisor-objects
{
  git for-each-ref --format='%(objectname)'
  cat "$common"/HEAD "$common"/*_HEAD "$common"/AUTO_MERGE "$common"/rebase-*/orig-head "$common"/rebase-*/onto \\
    "$common"/rebase-*/stopped-sha "$common"/rebase-*/autostash "$common"/sequencer/head "$common"/worktrees/*/*HEAD \\
    2>/dev/null | grep -Eo '^[0-9a-f]{40}' | git cat-file --batch-check='%(objectname)' | grep -Ev ' missing$'
  echo --not
  git for-each-ref --format='%(objectname)' refs/remotes
} | exec git pack-objects -q --revs --reflog --indexed-objects $partial --stdout`);

const refsScript = offlineGit(
  `git for-each-ref --format='%(objectname) %(refname)' | grep -v ' refs/remotes/' || true`,
);
const remotesScript = offlineGit(`git for-each-ref --format='%(objectname)' refs/remotes`);
const settingsScript = offlineGit('git config --local -z --list');

/** Captures commits, index, unfinished operations and files of each repository, and loose files. */
export async function captureRepositories(
  shell: WorkspaceShell,
  archive: ArchiveWriter,
  { listing, budget }: { readonly listing: WorkListing; readonly budget: SnapshotBudget },
): Promise<SnapshotRepository[]> {
  requireFew(listing);
  const repositories: SnapshotRepository[] = [];
  for (const [index, repository] of listing.repositories.entries())
    repositories.push(await new RepositoryCapture(shell, budget, archive, `work/${index}`).run(repository));
  await captureLooseFiles(shell, archive, { files: listing.loose, budget });
  return repositories;
}

/** @throws AgentError */
export function requireFew({ repositories }: Pick<WorkListing, 'repositories'>): void {
  const counts = [
    ['repositories', repositories.length, maxSnapshotRepositories],
    ['worktrees', Math.max(...repositories.map(({ checkouts }) => checkouts.length)), maxSnapshotTrees],
  ] as const;
  for (const [what, count, most] of counts)
    if (count > most)
      throw new AgentError(
        'snapshot_failed',
        `It has ${count} ${what}, and a snapshot holds at most ${most}`,
      );
}

class RepositoryCapture {
  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    private readonly shell: WorkspaceShell,
    private readonly budget: SnapshotBudget,
    private readonly archive: ArchiveWriter,
    private readonly name: string,
  ) {}

  async run({ path, folder, checkouts }: ListedRepository): Promise<SnapshotRepository> {
    const { shell } = this;
    // The small outputs are read while files are packed.
    const [trees, refs, remotes, settings] = await Promise.all([
      this.large(folder, checkouts),
      shell.read({ text: refsScript, workDir: folder }),
      shell.read({ text: remotesScript, workDir: folder }),
      shell.names({ text: settingsScript, workDir: folder }),
    ]);
    await this.archive.add(`${this.name}/refs`, refs);
    await this.archive.add(`${this.name}/remotes`, remotes);
    const kept = settings.filter((setting) => isKeptSetting(setting.split('\n', 1)[0] ?? ''));
    await this.archive.add(
      `${this.name}/settings`,
      Buffer.from(kept.map((setting) => `${setting}\0`).join('')),
    );
    return { path, trees };
  }

  private async large(folder: string, checkouts: ListedRepository['checkouts']): Promise<SnapshotTree[]> {
    const trees: SnapshotTree[] = [];
    for (const { worktree, ...checkout } of checkouts) {
      const section = `${this.name}/tree/${trees.length}`;
      const capture = { ...checkout, section, budget: this.budget, archive: this.archive };
      trees.push({ ...(await captureTree(this.shell, capture)), worktree });
    }
    for (const [section, text] of Object.entries({ meta: metaScript, pack: packScript }))
      await this.archive.add(`${this.name}/${section}`, await this.shell.stream({ text, workDir: folder }));
    return trees;
  }
}
