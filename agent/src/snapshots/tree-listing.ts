import { createHash } from 'node:crypto';
import { hardeningItself, offlineGit } from '../git/hardened-git.js';
import { listSubmodules, parseCheckouts, type Repository, withCheckouts } from './checkouts.js';
import { describeFiles, type ListedFile, namesIn, parseFiles } from './file-listing.js';
import { printMark, splitAt } from './marked-parts.js';
import { listLimitBytes, type WorkspaceShell } from './workspace-shell.js';

/** What git and the file system say of one checkout. */
export interface TreeListing {
  readonly head: string | null;
  /** Null with a detached HEAD. */
  readonly branch: string | null;
  readonly upstream: string | null;
  /** Hash of `git status`: equal before capture and after restore when nothing is missing. */
  readonly statusSha256: string;
  /** Files of HEAD or of the index that do not exist. */
  readonly gone: readonly string[];
  /** Modified and untracked files, and folders that replaced a file. */
  readonly changed: readonly ListedFile[];
  /** Repositories inside it, each with a slash at its end: submodules, and those of nobody. */
  readonly inside: readonly Buffer[];
  /** Lines of `listFileModes`. */
  readonly modes: readonly string[];
  /** `commit ref` of each ref, each byte a character. */
  readonly refs: readonly string[];
  /** Name and value of each setting of the repository, with a line break between. */
  readonly settings: readonly string[];
  /** Of all that is above. */
  readonly hash: string;
}

/**
 * Prints mode and name of the tracked files whose permissions git does not keep: it knows 644 and
 * 755 only. Links and files that do not exist are left out. The slash at the end shows that no
 * line break in the name ended the line.
 */
const listFileModes = `git ls-files -z | {
  if stat -c %n / >/dev/null 2>&1; then xargs -0 stat -c '%f %n/' --; else xargs -0 stat -f '%Xp %N/' --; fi
} 2>/dev/null | grep -Ev '^(81a4|81ed|a1ff) ' || true`;

/** Submodules are captured separately: only their commits count here. */
const status = (
  untracked: 'all' | 'no',
) => `GIT_OPTIONAL_LOCKS=1 git update-index -q --refresh >/dev/null 2>&1
git status --porcelain=v2 -z --untracked-files=${untracked} --no-renames --ignore-submodules=dirty`;
const existing = 'for file; do [ -e "$file" ] || [ -L "$file" ] && printf "%s\\0" "$file"; done; true';
const missing = 'for file; do [ -e "$file" ] || [ -L "$file" ] || printf "%s\\0" "$file"; done';
/** No path of a repository begins with a slash. */
const mark = '\0//\0';
const treeMark = '\0///\0';
/** Names a path that git cannot print, so that a list that git did not finish is refused. */
const orFail = "|| printf '/.\\0'";

/** Searches the tree for untracked files, once: `git status` leaves them to this. */
const listUntracked = `{ git ls-files -z --others --exclude-standard ${orFail}; } | ${describeFiles}`;
const listTracked = [
  'git rev-parse --verify --quiet HEAD',
  `${status('no')} || exit 1`,
  `{ git ls-files -z --deleted
      git rev-parse --verify --quiet HEAD >/dev/null && git diff-index --cached --no-renames --name-only -z --diff-filter=D HEAD
    } | xargs -0 sh -c '${missing}' sh`,
  // A submodule with another commit is listed as modified. It is captured separately.
  listSubmodules,
  `{ git ls-files -z --modified ${orFail}; } | xargs -0 sh -c '${existing}' sh | ${describeFiles}`,
  listFileModes,
  'git symbolic-ref -q --short HEAD; git rev-parse -q --verify --abbrev-ref @{upstream} 2>/dev/null',
  "git for-each-ref --format='%(objectname) %(refname)'",
  'git config --local -z --list',
];
/** One of untracked files, those of tracked files, and an empty one: git finished. */
const partCount = listTracked.length + 2;

/** Both at the same time: the pipe holds the part about tracked files. */
const listing = `{
${[...listTracked, ''].join(`\n${printMark(mark)}\n`)}
} | {
${listUntracked}
${printMark(mark)}
cat
}`;

const list = `list() {
${listing}
}`;
/** Lists the current folder and then each of `$@`, with the settings of each. */
const script = offlineGit(`${list}
list || exit
for tree; do
  ${printMark(treeMark)}
  (cd -P -- "$tree" 2>/dev/null || exit 49; harden; list) || exit
done`);
/** `$1`: as of `withCheckouts`. */
const mainScript = withCheckouts(`${list}\nlist`, treeMark);
/** Prints the status of each of `$@`. One that cannot be read is like no other. */
const statusScript = hardeningItself(`for tree; do
  (cd -P -- "$tree" 2>/dev/null && harden && {
${status('all')}
}) || printf '!'
  ${printMark(treeMark)}
done`);

interface MainListing {
  readonly tree: TreeListing;
  readonly repositories: readonly Repository[];
}

/** The repository's own checkout, and all repositories. @throws when files change */
export async function listMain(shell: WorkspaceShell): Promise<MainListing> {
  const { place, workspace } = shell;
  const args = [workspace.settings.branch ?? ''];
  const printed = await shell.read({ text: mainScript, args, workDir: place.workDir });
  const [tree, checkouts] = splitAt(printed, treeMark);
  if (!tree || !checkouts) throw new Error('Git did not list the repository');
  return { tree: parseTree(tree), repositories: parseCheckouts(checkouts, place) };
}

/** The agent holds the whole output. */
const maxListBytes = 4 * listLimitBytes;
const limitOf = (folders: readonly string[]): number =>
  Math.min(folders.length * listLimitBytes, maxListBytes);

/** One script for all: its start takes longer than a small checkout. @throws when files change */
export async function listTrees(
  shell: WorkspaceShell,
  folders: readonly string[],
): Promise<ReadonlyMap<string, TreeListing>> {
  const [workDir, ...args] = folders;
  if (workDir === undefined) return new Map();
  const limitBytes = limitOf(folders);
  const printed = splitAt(await shell.read({ text: script, args, workDir, limitBytes }), treeMark);
  return new Map(
    folders.map((folder, index) => {
      const tree = printed[index];
      if (!tree) throw new Error(`Git did not list ${folder}`);
      return [folder, parseTree(tree)];
    }),
  );
}

/** Of untracked files, and of `listTracked`. */
type TreeParts = [
  others: Buffer,
  head: Buffer,
  status: Buffer,
  deleted: Buffer,
  submodules: Buffer,
  modified: Buffer,
  modes: Buffer,
  branch: Buffer,
  refs: Buffer,
  settings: Buffer,
];

/** @throws when git could not list the files, or one was deleted at the same time */
function parseTree(printed: Buffer): TreeListing {
  const parts = splitAt(printed, mark);
  if (parts.length !== partCount) throw new Error('Git could not list the checkout');
  const [others, head, status, deleted, submodules, modified, modes, branch, refs, settings] =
    parts as TreeParts;
  const untracked = namesIn(others);
  const gone = new Set(namesOf(deleted));
  const left = new Set([...gone, ...linesOf(submodules)]);
  const files = [...parseFiles(modified), ...parseFiles(others)];
  if (files.some(({ path }) => path.startsWith('/'))) throw new Error('Git could not list the changed files');
  // Git lists a repository inside as one name with a trailing slash. It is captured separately.
  const changed = files.filter(({ path }) => !path.endsWith('/') && !left.has(path));
  // A folder that replaced a file: the file counts as deleted.
  for (const { path, mode } of changed) if (isFolder(mode)) gone.add(path);
  return {
    head: head.toString().trim() || null,
    ...branchOf(branch),
    statusSha256: sha256(statusWith(status, untracked)),
    gone: [...gone],
    changed,
    inside: insideOf(untracked, submodules),
    modes: linesOf(modes),
    refs: refs.toString('latin1').split('\n').filter(Boolean),
    settings: settings.toString().split('\0').filter(Boolean),
    hash: sha256(printed),
  };
}

/** A branch without an upstream has one line, a detached HEAD none. */
function branchOf(printed: Buffer): Pick<TreeListing, 'branch' | 'upstream'> {
  const [branch, upstream] = printed.toString().split('\n').filter(Boolean);
  return { branch: branch ?? null, upstream: upstream ?? null };
}

/** The output of `git status` with the untracked files. */
const statusWith = (tracked: Buffer, untracked: readonly string[]): Buffer =>
  Buffer.concat([tracked, bytesOf(untracked.map((name) => `? ${name}\0`).join(''))]);

function insideOf(untracked: readonly string[], submodules: Buffer): Buffer[] {
  const own = submodules.toString('latin1').split('\n').filter(Boolean);
  const names = [...untracked.filter((name) => name.endsWith('/')), ...own.map((name) => `${name}/`)];
  return [...new Set(names)].map(bytesOf);
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

export const isFolder = (mode: number): boolean => (mode & 0o170_000) === 0o040_000;

/** For each checkout, the same hash of `git status` as that of a listing. */
export async function statusesOf(shell: WorkspaceShell, folders: readonly string[]): Promise<string[]> {
  const { root: workDir } = shell.place;
  const limitBytes = limitOf(folders);
  const printed = await shell.read({ text: statusScript, args: folders, workDir, limitBytes });
  return splitAt(printed, treeMark).slice(0, -1).map(sha256);
}

const namesOf = (part: Buffer): string[] => part.toString().split('\0').filter(Boolean);
const linesOf = (part: Buffer): string[] => part.toString().split('\n').filter(Boolean);
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
