import type { MissingPart, SnapshotRepository, SnapshotTree } from '../../../protocol/snapshots.js';
import { checkExit } from '../files/workspace-commands.js';
import { offlineGit, onlineGit } from '../git/hardened-git.js';
import { redactText } from '../shared/redact.js';
import type { ArchiveReader } from './archive.js';
import { restoreModes } from './file-modes.js';
import { requireInside } from './folder-paths.js';
import { unpack, unpackScript } from './home.js';
import { restoreLooseFiles } from './loose-files.js';
import { isKeptSetting } from './snapshot-rules.js';
import { statusesOf } from './tree-listing.js';
import type { WorkspaceShell } from './workspace-shell.js';

const packScript = onlineGit('exec git index-pack --stdin --fix-thin >/dev/null');
/** Exit code of `historyScript` for commits that neither the snapshot nor the remote has. */
const isDisconnected = 60;
const setSettings = `while [ $# -gt 1 ]; do
  git config --local --replace-all "$1" "$2" || exit
  shift 2
done`;
const settingsScript = offlineGit(setSettings);
/**
 * Standard input: `remote COMMIT`, the former remote branches; `commit COMMIT`, the tips of the
 * history; `ref COMMIT NAME`. `$1`: the commit of the checkout, then names and values of settings.
 * Fetches commits of remote branches that the clone lacks, and requires all objects of the history.
 * Replaces branches, tags and stashes, and moves the checkout to its commit. The settings begin to
 * apply before that: git runs no hook here, and no other setting of a snapshot names a program.
 */
const historyScript = onlineGit(`
input=$(cat)
lines() { printf '%s\\n' "$input" | sed -n "s/^$1 //p"; }
offline() { GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git "$@"; }

lines remote | offline cat-file --batch-check='%(objectname)' | sed -n 's/ missing$//p' | while read -r commit; do
  git fetch -q --no-tags origin "$commit" </dev/null || true
done
if [ -n "$(lines commit)" ]; then
  lines commit | offline rev-list --objects --quiet --missing=allow-promisor --stdin --not --remotes || exit ${isDisconnected}
fi

wanted=$(lines ref)
{
  git for-each-ref --format='%(refname)' refs/heads refs/stash | while read -r ref; do
    printf '%s\\n' "$wanted" | cut -d' ' -f2 | grep -qxF -- "$ref" || printf 'delete %s\\n' "$ref"
  done
  printf '%s\\n' "$wanted" | while read -r commit ref; do [ -z "$ref" ] || printf 'update %s %s\\n' "$ref" "$commit"; done
} | offline -c core.logAllRefUpdates=false update-ref --stdin || exit

head=$1
shift
${setSettings}
rm -f "$(git rev-parse --git-dir)/index.lock"
if [ -n "$head" ]; then exec git read-tree --reset -u "$head"; fi
git ls-files -z | xargs -0 rm -f --
exec git read-tree --empty`);
/** Checks out staged files. Unmerged files come with the changed files. */
const checkOutStaged = `
{ if git rev-parse --verify --quiet HEAD >/dev/null
  then git diff-index --cached --no-renames --name-only -z --diff-filter=d HEAD
  else git ls-files -z
  fi
} | git checkout-index -q -f -z --stdin
exit 0`;
/** Unpacks the files of the git folder, which may name programs. */
const metaScript = onlineGit(`(cd "$(git rev-parse --git-common-dir)" && ${unpackScript}) || exit
harden online
${checkOutStaged}`);
/** `$1`: name of the worktree, `$2`: its new folder, `$3`: its commit. Keeps the captured index. */
const worktreeScript = onlineGit(`
common=$(cd "$(git rev-parse --git-common-dir)" && pwd -P)
own=$common/worktrees/$1
mkdir -p "$2" && [ -d "$own" ] || exit 1
printf 'gitdir: %s\\n' "$own" >"$2/.git"
printf '%s/.git\\n' "$2" >"$own/gitdir"
mv "$own/index" "$own/index.kept" || exit 1
cd "$2" || exit
harden online
[ -z "$3" ] || git read-tree --reset -u "$3"
mv "$own/index.kept" "$own/index" || exit
${checkOutStaged}`);
/** A pack without objects, compressed. */
const mostOfEmptyPack = 128;
/** Of settings. Systems allow some hundred kilobytes at least. */
const mostArgumentBytes = 64 * 1_024;
const commitId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const goneScript = `
xargs -0 sh -c 'for file; do rm -f -- "$file"; rmdir -p -- "$(dirname -- "$file")" 2>/dev/null; done; true' sh`;

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
      requireInside([repository.path, ...repository.trees.flatMap(namesOf)]);
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
  missing.push(...(await changedTrees(shell, restored)));
  return missing;
}

const namesOf = ({ path, worktree }: SnapshotTree): string[] => [path, worktree ?? ''];

async function changedTrees(shell: WorkspaceShell, trees: readonly SnapshotTree[]): Promise<MissingPart[]> {
  const known = trees.filter(({ statusSha256 }) => statusSha256 !== null);
  if (known.length === 0) return [];
  const folders = known.map(({ path }) => `${shell.place.root}/${path}`);
  const hashes = await statusesOf(shell, folders).catch(() => []);
  return known.flatMap(({ path, statusSha256 }, index) =>
    statusSha256 === hashes[index]
      ? []
      : [{ part: 'work', path, reason: 'git status differs from the captured one' } as const],
  );
}

class RepositoryRestore {
  constructor(
    private readonly shell: WorkspaceShell,
    private readonly archive: ArchiveReader,
    private readonly name: string,
  ) {}

  async run({ trees }: SnapshotRepository, folder: string): Promise<MissingPart[]> {
    const [main, ...worktrees] = trees;
    if (!main) return [];
    // The largest section, while the scripts before it run.
    this.archive.verify(`${this.name}/tree/0/files`);
    if (!(await this.hasEmptyPack())) await this.input('pack', packScript, folder);
    await this.history(trees, folder);
    await this.input('meta', metaScript, folder);
    await this.tree(0, folder);
    const missing: MissingPart[] = [];
    for (const [index, tree] of worktrees.entries())
      missing.push(...(await this.worktree(tree, index + 1, folder)));
    return missing;
  }

  /** Without local commits a pack is a header and a hash. */
  private async hasEmptyPack(): Promise<boolean> {
    const name = `${this.name}/pack`;
    if (this.archive.sizeOf(name) > mostOfEmptyPack) return false;
    const pack = await this.archive.read(name);
    return pack.length >= 12 && pack.readUInt32BE(8) === 0;
  }

  private async history(trees: readonly SnapshotTree[], folder: string): Promise<void> {
    const [refs, remotes] = [await this.lines('refs'), await this.lines('remotes')];
    const commits = [...refs.map((line) => line.split(' ', 1)[0]), ...trees.map(({ head }) => head)];
    if (![...remotes, ...commits].every((commit) => !commit || commitId.test(commit)))
      throw new Error('The snapshot names a commit that is none');
    const lines = [
      ...remotes.map((commit) => `remote ${commit}\n`),
      ...[...new Set(commits)].flatMap((commit) => (commit ? [`commit ${commit}\n`] : [])),
      ...refs.map((line) => `ref ${line}\n`),
    ];
    const { end } = await this.shell.run({
      text: historyScript,
      args: [trees[0]?.head ?? '', ...(await this.settings(folder))],
      workDir: folder,
      input: Buffer.from(lines.join(''), 'latin1'),
    });
    if (end.exitCode === isDisconnected)
      throw new Error(`Commits of the remote are missing: ${end.stderr.slice(-200)}`);
    checkExit(end);
  }

  /** The lines of a section, each byte a character. */
  private async lines(section: string): Promise<string[]> {
    const content = await this.archive.read(`${this.name}/${section}`);
    return content.toString('latin1').split('\n').filter(Boolean);
  }

  /** Names and values for the next script. Sets those that are too many for its arguments. */
  private async settings(folder: string): Promise<string[]> {
    const content = (await this.archive.read(`${this.name}/settings`)).toString();
    let args: string[] = [];
    let size = 0;
    for (const setting of content.split('\0').filter(Boolean)) {
      const [key = '', ...value] = setting.split('\n');
      if (!isKeptSetting(key)) continue;
      args.push(key, value.join('\n'));
      size += setting.length;
      if (size < mostArgumentBytes) continue;
      await this.shell.read({ text: settingsScript, args, workDir: folder });
      [args, size] = [[], 0];
    }
    return args;
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
    await this.gone(index, folder);
    const files = `${name}/tree/${index}/files`;
    if (!archive.isEmpty(files)) await unpack(shell, folder, await archive.open(files));
    await restoreModes(shell, archive, { folder, section: `${name}/tree/${index}/modes` });
  }

  private async gone(index: number, workDir: string): Promise<void> {
    const listed = await this.archive.read(`${this.name}/tree/${index}/gone`);
    if (listed.length === 0) return;
    requireInside(listed.toString('latin1').split('\0'));
    await this.shell.read({ text: goneScript, workDir, input: listed });
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
