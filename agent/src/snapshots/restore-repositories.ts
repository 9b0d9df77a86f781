import type { MissingPart, SnapshotRepository, SnapshotTree } from '../../../protocol/snapshots.js';
import { offlineGit, onlineGit } from '../git/hardened-git.js';
import { redactText } from '../shared/redact.js';
import type { ArchiveReader } from './archive.js';
import { restoreModes } from './file-modes.js';
import { unpack } from './home.js';
import { restoreLooseFiles } from './loose-files.js';
import { isKeptSetting } from './snapshot-rules.js';
import { statusOf } from './tree-listing.js';
import type { WorkspaceShell } from './workspace-shell.js';

const packScript = onlineGit('exec git index-pack --stdin --fix-thin >/dev/null');
/** Fetches commits of former remote branches that the clone lacks. */
const fetchScript = onlineGit(`
while read -r commit; do
  GIT_NO_LAZY_FETCH=1 git cat-file -e "$commit^{commit}" 2>/dev/null || printf '%s\\n' "$commit"
done | while read -r commit; do git fetch -q --no-tags origin "$commit" </dev/null || true; done
exit 0`);
/** Replaces all branches, tags and stashes by the `commit ref` lines on standard input. */
const refsScript = offlineGit(`
wanted=$(cat)
{
  git for-each-ref --format='%(refname)' refs/heads refs/stash | while read -r ref; do
    printf '%s\\n' "$wanted" | cut -d' ' -f2 | grep -qxF -- "$ref" || printf 'delete %s\\n' "$ref"
  done
  printf '%s\\n' "$wanted" | while read -r commit ref; do [ -z "$ref" ] || printf 'update %s %s\\n' "$ref" "$commit"; done
} | git -c core.logAllRefUpdates=false update-ref --stdin`);
/** Fails when objects of the commits on standard input are neither local nor at the remote. */
const connectedScript = offlineGit(
  'exec git rev-list --objects --quiet --missing=allow-promisor --stdin --not --remotes',
);
/** `$1`: commit. Moves the checkout of the clone to the captured commit. */
const moveScript = onlineGit(`
rm -f "$(git rev-parse --git-dir)/index.lock"
if [ -n "$1" ]; then exec git read-tree --reset -u "$1"; fi
git ls-files -z | xargs -0 rm -f --
exec git read-tree --empty`);
const unpackMetaScript = offlineGit('cd "$(git rev-parse --git-common-dir)" && exec tar -xpof -');
/** `$1`: name of the worktree, `$2`: its new folder, `$3`: its commit. Keeps the captured index. */
const worktreeScript = onlineGit(`
common=$(cd "$(git rev-parse --git-common-dir)" && pwd -P)
own=$common/worktrees/$1
mkdir -p "$2" && [ -d "$own" ] || exit 1
printf 'gitdir: %s\\n' "$own" >"$2/.git"
printf '%s/.git\\n' "$2" >"$own/gitdir"
mv "$own/index" "$own/index.kept" || exit 1
[ -z "$3" ] || (cd "$2" && harden online && git read-tree --reset -u "$3")
mv "$own/index.kept" "$own/index"`);
/** Checks out staged files. Unmerged files come with the changed files. */
const stagedScript = onlineGit(`
{ if git rev-parse --verify --quiet HEAD >/dev/null
  then git diff-index --cached --no-renames --name-only -z --diff-filter=d HEAD
  else git ls-files -z
  fi
} | git checkout-index -q -f -z --stdin
exit 0`);
const goneScript = `
xargs -0 sh -c 'for file; do rm -f -- "$file"; rmdir -p -- "$(dirname -- "$file")" 2>/dev/null; done; true' sh`;
const settingScript = offlineGit('exec git config --local --replace-all "$1" "$2"');

/** Restores every repository. Returns the parts that could not be restored. */
export async function restoreRepositories(
  shell: WorkspaceShell,
  archive: ArchiveReader,
  repositories: readonly SnapshotRepository[],
): Promise<MissingPart[]> {
  const missing: MissingPart[] = [];
  const restored: SnapshotTree[] = [];
  const { workDir } = shell.place;
  for (const [index, repository] of repositories.entries()) {
    const folder = repository.path === '.' ? workDir : `${workDir}/${repository.path}`;
    try {
      const restore = new RepositoryRestore(shell, archive, `work/${index}`);
      const lost = await restore.run(repository, folder);
      missing.push(...lost);
      restored.push(...repository.trees.filter(({ path }) => !lost.some((part) => part.path === path)));
    } catch (error) {
      missing.push({ part: 'work', path: repository.path, reason: reasonOf(error) });
    }
  }
  await restoreLooseFiles(shell, archive).catch((error: unknown) => {
    missing.push({ part: 'work', path: '.', reason: `Files beside the repository: ${reasonOf(error)}` });
  });
  // `git status` covers submodules: compare after all repositories are restored.
  for (const tree of restored)
    if (!(await isAsBefore(shell, tree)))
      missing.push({ part: 'work', path: tree.path, reason: 'git status differs from the captured one' });
  return missing;
}

async function isAsBefore(shell: WorkspaceShell, { path, statusSha256 }: SnapshotTree): Promise<boolean> {
  if (statusSha256 === null) return true;
  const status = await statusOf(shell, `${shell.place.root}/${path}`).catch(() => null);
  return status === statusSha256;
}

class RepositoryRestore {
  constructor(
    private readonly shell: WorkspaceShell,
    private readonly archive: ArchiveReader,
    private readonly name: string,
  ) {}

  async run({ trees }: SnapshotRepository, folder: string): Promise<MissingPart[]> {
    await this.objects(folder, trees);
    const [main, ...worktrees] = trees;
    if (!main) return [];
    await this.input('refs', refsScript, folder);
    await this.shell.read({ text: moveScript, args: [main.head ?? ''], workDir: folder });
    await this.input('meta', unpackMetaScript, folder);
    await this.settings(folder);
    await this.tree(0, folder);
    const missing: MissingPart[] = [];
    for (const [index, tree] of worktrees.entries())
      missing.push(...(await this.worktree(tree, index + 1, folder)));
    return missing;
  }

  private async objects(folder: string, trees: readonly SnapshotTree[]): Promise<void> {
    await this.input('pack', packScript, folder);
    await this.input('remotes', fetchScript, folder);
    const refs = (await this.archive.read(`${this.name}/refs`)).toString().split('\n');
    const commits = [...refs.map((line) => line.split(' ', 1)[0]), ...trees.map(({ head }) => head)];
    const input = Buffer.from(commits.flatMap((commit) => (commit ? [`${commit}\n`] : [])).join(''));
    if (input.length === 0) return;
    const { end } = await this.shell.run({ text: connectedScript, workDir: folder, input });
    if (end.exitCode !== 0) throw new Error(`Commits of the remote are missing: ${end.stderr.slice(-200)}`);
  }

  private async settings(folder: string): Promise<void> {
    const settings = (await this.archive.read(`${this.name}/settings`))
      .toString()
      .split('\0')
      .filter(Boolean);
    for (const setting of settings) {
      const [key = '', ...value] = setting.split('\n');
      if (isKeptSetting(key))
        await this.shell.read({ text: settingScript, args: [key, value.join('\n')], workDir: folder });
    }
  }

  private async worktree(tree: SnapshotTree, index: number, main: string): Promise<MissingPart[]> {
    const folder = `${this.shell.place.root}/${tree.path}`;
    try {
      await this.shell.read({
        text: worktreeScript,
        args: [tree.worktree ?? '', folder, tree.head ?? ''],
        workDir: main,
      });
      await this.tree(index, folder);
      return [];
    } catch (error) {
      return [{ part: 'work', path: tree.path, reason: reasonOf(error) }];
    }
  }

  private async tree(index: number, folder: string): Promise<void> {
    const { shell, archive, name } = this;
    await shell.read({ text: stagedScript, workDir: folder });
    await this.input(`tree/${index}/gone`, goneScript, folder);
    const files = `${name}/tree/${index}/files`;
    if (!archive.isEmpty(files)) await unpack(shell, folder, await archive.open(files));
    await restoreModes(shell, archive, { folder, section: `${name}/tree/${index}/modes` });
  }

  private async input(section: string, text: string, workDir: string): Promise<void> {
    const name = `${this.name}/${section}`;
    if (!this.archive.isEmpty(name))
      await this.shell.read({ text, workDir, input: await this.archive.open(name) });
  }
}

/** The redacted message of an error, for the answer. */
export function reasonOf(error: unknown): string {
  return redactText(error instanceof Error ? error.message : String(error)).slice(0, 500);
}
