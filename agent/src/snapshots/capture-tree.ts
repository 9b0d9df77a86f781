import { createHash } from 'node:crypto';
import type { SnapshotTree } from '../../../protocol/snapshots.js';
import { offlineGit } from '../git/hardened-git.js';
import type { ArchiveWriter } from './archive.js';
import { captureModes } from './file-modes.js';
import type { FoundEntry, SnapshotBudget } from './snapshot-budget.js';
import { namesEndedByNul, packFiles, type WorkspaceShell } from './workspace-shell.js';

const headScript = offlineGit('git rev-parse --verify --quiet HEAD || true');
/** Submodules are captured separately: only their commits count here. */
const statusScript = offlineGit(`
GIT_OPTIONAL_LOCKS=1 git update-index -q --refresh >/dev/null 2>&1
exec git status --porcelain=v2 -z --untracked-files=all --no-renames --ignore-submodules=dirty`);
/** Modified, untracked and deleted files. */
const changedScript = offlineGit('git ls-files -z --modified --others --exclude-standard');
const submodulesScript = offlineGit(`git ls-files -s -z | tr '\\0' '\\n' | sed -n 's/^160000 [^\\t]*\\t//p'`);
/** Files of HEAD or of the index that do not exist. */
const goneScript = offlineGit(`
{ git ls-files -z --deleted
  git rev-parse --verify --quiet HEAD >/dev/null && git diff-index --cached --no-renames --name-only -z --diff-filter=D HEAD
} | xargs -0 sh -c 'for file; do [ -e "$file" ] || [ -L "$file" ] || printf "%s\\0" "$file"; done' sh`);

interface TreeCapture {
  readonly folder: string;
  readonly section: string;
  readonly budget: SnapshotBudget;
  readonly archive: ArchiveWriter;
}

/** Captures the changed, untracked and deleted files of one checkout. */
export async function captureTree(
  shell: WorkspaceShell,
  { folder, section, budget, archive }: TreeCapture,
): Promise<Omit<SnapshotTree, 'worktree'>> {
  const skippedBefore = budget.skipped.length;
  const statusSha256 = await statusOf(shell, folder);
  const [gone, names, submodules, head] = await Promise.all([
    shell.names({ text: goneScript, workDir: folder }).then(asSet),
    shell.names({ text: changedScript, workDir: folder }).then(asSet),
    shell.lines({ text: submodulesScript, workDir: folder }).then(asSet),
    shell.read({ text: headScript, workDir: folder }),
  ]);
  const changed = await changedEntries(shell, folder, { gone, names, submodules });
  // A folder that replaced a file: the file counts as deleted.
  for (const { path, mode } of changed) if (isFolder(mode)) gone.add(path);
  await archive.add(`${section}/gone`, namesEndedByNul([...gone]));
  const path = folder.slice(shell.place.root.length + 1);
  const files = changed.filter(({ mode }) => !isFolder(mode));
  const selected = budget.select(files, folder === shell.place.workDir ? '' : `${path}/`);
  await archive.add(`${section}/files`, await packFiles(shell, folder, selected));
  await captureModes(shell, archive, { folder, section: `${section}/modes` });
  const isWhole = budget.skipped.length === skippedBefore;
  return { path, head: head.toString().trim() || null, statusSha256: isWhole ? statusSha256 : null };
}

interface ListedNames {
  readonly gone: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** A submodule with another commit is listed as modified. It is captured separately. */
  readonly submodules: ReadonlySet<string>;
}

const asSet = (names: readonly string[]): Set<string> => new Set(names);

async function changedEntries(
  shell: WorkspaceShell,
  folder: string,
  { gone, names, submodules }: ListedNames,
): Promise<FoundEntry[]> {
  // Git lists a repository inside as one name with a trailing slash. It is captured separately.
  const there = [...names].filter((path) => !path.endsWith('/') && !gone.has(path) && !submodules.has(path));
  return shell.describe(there, folder);
}

const isFolder = (mode: number) => (mode & 0o170_000) === 0o040_000;

/** Hash of `git status`: equal before capture and after restore when nothing is missing. */
export async function statusOf(shell: WorkspaceShell, folder: string): Promise<string> {
  const hash = createHash('sha256');
  const said = await shell.stream({ text: statusScript, workDir: folder });
  for await (const chunk of said) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
