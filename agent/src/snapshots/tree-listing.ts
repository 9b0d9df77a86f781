import { createHash } from 'node:crypto';
import { offlineGit } from '../git/hardened-git.js';
import { listSubmodules } from './checkouts.js';
import { describeFiles, type ListedFile, parseFiles } from './file-listing.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** What git and the file system say of one checkout. */
export interface TreeListing {
  readonly head: string | null;
  /** Hash of `git status`: equal before capture and after restore when nothing is missing. */
  readonly statusSha256: string;
  /** Files of HEAD or of the index that do not exist. */
  readonly gone: readonly string[];
  /** Modified and untracked files, and folders that replaced a file. */
  readonly changed: readonly ListedFile[];
  /** Lines of `listFileModes`. */
  readonly modes: readonly string[];
  /** Of all that is above, and of the refs. */
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
const status = `GIT_OPTIONAL_LOCKS=1 git update-index -q --refresh >/dev/null 2>&1
git status --porcelain=v2 -z --untracked-files=all --no-renames --ignore-submodules=dirty`;
const existing = 'for file; do [ -e "$file" ] || [ -L "$file" ] && printf "%s\\0" "$file"; done; true';
const missing = 'for file; do [ -e "$file" ] || [ -L "$file" ] || printf "%s\\0" "$file"; done';
/** No path of a repository begins with a slash. */
const mark = '//';
/** Names a path that git cannot print, so that a list that git did not finish is refused. */
const orFail = "|| printf '/.\\0'";

const script = offlineGit(
  [
    'git rev-parse --verify --quiet HEAD',
    `${status} || exit 1`,
    `{ git ls-files -z --deleted
      git rev-parse --verify --quiet HEAD >/dev/null && git diff-index --cached --no-renames --name-only -z --diff-filter=D HEAD
    } | xargs -0 sh -c '${missing}' sh`,
    // A submodule with another commit is listed as modified. It is captured separately.
    listSubmodules,
    `{ git ls-files -z --modified ${orFail}; } | xargs -0 sh -c '${existing}' sh | ${describeFiles}`,
    `{ git ls-files -z --others --exclude-standard ${orFail}; } | ${describeFiles}`,
    listFileModes,
    'git symbolic-ref -q HEAD; git for-each-ref',
  ].join(`\nprintf '\\0${mark}\\0'\n`),
);
const statusScript = offlineGit(status);

/** @throws when files change during the listing */
export async function listTree(shell: WorkspaceShell, workDir: string): Promise<TreeListing> {
  const printed = await shell.read({ text: script, workDir });
  const parts = partsOf(printed);
  const part = (index: number): Buffer => parts[index] ?? Buffer.alloc(0);
  const gone = new Set(namesOf(part(2)));
  const others = new Set([...gone, ...linesOf(part(3))]);
  const files = [...parseFiles(part(4)), ...parseFiles(part(5))];
  if (files.some(({ path }) => path.startsWith('/'))) throw new Error('Git could not list the changed files');
  // Git lists a repository inside as one name with a trailing slash. It is captured separately.
  const changed = files.filter(({ path }) => !path.endsWith('/') && !others.has(path));
  // A folder that replaced a file: the file counts as deleted.
  for (const { path, mode } of changed) if (isFolder(mode)) gone.add(path);
  return {
    head: part(0).toString().trim() || null,
    statusSha256: sha256(part(1)),
    gone: [...gone],
    changed,
    modes: linesOf(part(6)),
    hash: sha256(printed),
  };
}

export const isFolder = (mode: number): boolean => (mode & 0o170_000) === 0o040_000;

/** The same hash of `git status` as that of a listing. */
export async function statusOf(shell: WorkspaceShell, workDir: string): Promise<string> {
  return sha256(await shell.read({ text: statusScript, workDir }));
}

function partsOf(printed: Buffer): Buffer[] {
  const separator = `\0${mark}\0`;
  const parts: Buffer[] = [];
  for (let from = 0; ; ) {
    const end = printed.indexOf(separator, from);
    if (end < 0) return [...parts, printed.subarray(from)];
    parts.push(printed.subarray(from, end));
    from = end + separator.length;
  }
}

const namesOf = (part: Buffer): string[] => part.toString().split('\0').filter(Boolean);
const linesOf = (part: Buffer): string[] => part.toString().split('\n').filter(Boolean);
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
