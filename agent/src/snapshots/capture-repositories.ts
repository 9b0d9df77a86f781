import type { SnapshotRepository, SnapshotTree } from '../../../protocol/snapshots.js';
import { offlineGit } from '../git/hardened-git.js';
import type { ArchiveWriter } from './archive.js';
import { captureTree } from './capture-tree.js';
import { captureLooseFiles } from './loose-files.js';
import type { SnapshotBudget } from './snapshot-budget.js';
import { isKeptSetting } from './snapshot-rules.js';
import type { WorkspaceShell } from './workspace-shell.js';

/**
 * `$1`: the branch that a new clone checks out. Prints the paths of the main repository and of the
 * submodules that a new clone has, each ended with NUL. `git submodule foreach` would run with the
 * unsafe settings of each submodule.
 */
const repositoriesScript = offlineGit(`
git rev-parse --git-dir >/dev/null || exit 1
printf '.\\0'
top=$(pwd -P)
tab=$(printf '\\t')
# $1: path of the repository, others: commits of a new clone, which all have its submodules.
below() {
  prefix=$1
  shift
  [ $# -gt 0 ] || return 0
  git ls-files -s -z | tr '\\0' '\\n' | sed -n 's/^160000 [^\\t]*\\t//p' | uniq | while IFS= read -r sub; do
    [ -e "./$sub/.git" ] || continue
    (
      links=
      for commit; do
        link=$(git ls-tree "$commit" -- "$sub" 2>/dev/null | sed -n "s/^160000 commit \\([0-9a-f]*\\)$tab.*/\\1/p")
        [ -n "$link" ] || exit 0
        links="$links $link"
      done
      cd -P -- "./$sub" || exit 0
      case $(pwd -P) in "$top"/*) ;; *) exit 0 ;; esac
      harden
      git rev-parse --git-dir >/dev/null 2>&1 || exit 0
      printf '%s%s\\0' "$prefix" "$sub"
      below "$prefix$sub/" $links
    )
  done
}
below '' $(for ref in HEAD "$1"; do git rev-parse --verify --quiet "refs/remotes/origin/$ref^{commit}"; done)`);

/** Prints one line a tree: the name of the worktree or `-`, and its folder. */
const treesScript = offlineGit(`
printf -- '-\\t%s\\n' "$(pwd -P)"
common=$(cd "$(git rev-parse --git-common-dir)" && pwd -P)
[ "$common" = "$(cd "$(git rev-parse --git-dir)" && pwd -P)" ] || exit 1
for own in "$common"/worktrees/*/; do
  [ -f "$own/gitdir" ] || continue
  folder=$(dirname "$(cat "$own/gitdir")")
  [ -e "$folder/.git" ] && printf '%s\\t%s\\n' "$(basename "$own")" "$(cd "$folder" && pwd -P)"
done
exit 0`);

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
  budget: SnapshotBudget,
  archive: ArchiveWriter,
): Promise<SnapshotRepository[]> {
  const repositories: SnapshotRepository[] = [];
  for (const [index, { path, folder }] of (await repositoryFolders(shell)).entries()) {
    const capture = new RepositoryCapture(shell, budget, archive, `work/${index}`);
    repositories.push(await capture.run(path, folder));
  }
  const trees = repositories.flatMap((repository) => repository.trees.map((tree) => tree.path));
  await captureLooseFiles(shell, archive, { trees, budget });
  return repositories;
}

/** The main repository and its checked-out submodules that a new clone has. */
export async function repositoryFolders(
  shell: WorkspaceShell,
): Promise<readonly { readonly path: string; readonly folder: string }[]> {
  const { workDir } = shell.place;
  const { branch } = shell.workspace.settings;
  const paths = await shell.names({ text: repositoriesScript, args: [branch ?? ''], workDir });
  return paths.map((path) => ({ path, folder: path === '.' ? workDir : `${workDir}/${path}` }));
}

/** The checkouts of a repository that lie in the workspace. Its own folder is the first. */
export async function treesOf(
  shell: WorkspaceShell,
  folder: string,
): Promise<readonly { readonly worktree: string | null; readonly path: string }[]> {
  const lines = await shell.lines({ text: treesScript, workDir: folder });
  return lines.flatMap((line) => {
    const [worktree = '-', path = ''] = line.split('\t');
    if (!path.startsWith(`${shell.place.root}/`)) return [];
    return [{ worktree: worktree === '-' ? null : worktree, path }];
  });
}

class RepositoryCapture {
  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    private readonly shell: WorkspaceShell,
    private readonly budget: SnapshotBudget,
    private readonly archive: ArchiveWriter,
    private readonly name: string,
  ) {}

  async run(path: string, folder: string): Promise<SnapshotRepository> {
    const { shell } = this;
    // `git status` refreshes the index, so it runs before the index is captured.
    const trees = await this.trees(folder);
    await this.archive.add(`${this.name}/meta`, await shell.stream({ text: metaScript, workDir: folder }));
    await this.archive.add(`${this.name}/pack`, await shell.stream({ text: packScript, workDir: folder }));
    const [refs, remotes, settings] = await Promise.all([
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

  private async trees(folder: string): Promise<SnapshotTree[]> {
    const trees: SnapshotTree[] = [];
    for (const { worktree, path } of await treesOf(this.shell, folder)) {
      const section = `${this.name}/tree/${trees.length}`;
      const tree = await captureTree(this.shell, {
        folder: path,
        section,
        budget: this.budget,
        archive: this.archive,
      });
      trees.push({ ...tree, worktree });
    }
    return trees;
  }
}
