import { hardeningItself } from '../git/hardened-git.js';
import type { ArchiveReader } from './archive.js';
import { describeFiles, type ListedFile, listFiles } from './file-listing.js';
import { unpack } from './home.js';
import type { Section } from './section-writer.js';
import type { SnapshotBudget } from './snapshot-budget.js';
import type { TreeListing } from './tree-listing.js';
import { packFiles, type WorkspaceShell } from './workspace-shell.js';

/**
 * Files that no captured repository has: those beside the repository (uploads, a second clone), and
 * repositories inside it that a new clone does not have. Such a repository is captured with its git
 * folder.
 */

/**
 * `$@`: the captured trees; standard input: repositories inside them, one a line, each with a slash
 * at its end. Prints the names of the files, each ended with NUL. A repository whose commits lie
 * elsewhere is one name with a slash at its end.
 */
const looseFiles = `
top=$(pwd -P)
break='
'
trees="$break$(printf '%s\\n' "$@")$break"
pattern() { printf '%s\\n' "$1" | sed 's/[][*?\\\\]/\\\\&/g'; }
inside() { xargs -0 sh -c 'for name; do printf "./%s%s\\0" "$0" "\${name#./}"; done' "$1"; }
below() { xargs -0 sh -c 'for name; do printf "./%s\\0" "\${name#"$0"/}"; done' "$top"; }
files='for name; do [ -L "$name" ] || { [ -e "$name" ] && [ ! -d "$name" ]; } && printf "%s\\0" "$name"; done; true'

# $1: a repository below the top.
repository() (
  cd -P -- "$top/$1" 2>/dev/null && [ "$(pwd -P)/" = "$top/$1" ] || exit 0
  harden
  git rev-parse --git-dir >/dev/null 2>&1 && common=$(cd "$(git rev-parse --git-common-dir)" && pwd -P) &&
    [ ! -s "$common/objects/info/alternates" ] && case $common in "$top"/*) ;; *) false ;; esac ||
    { printf './%s\\0' "$1"; exit 0; }
  find ./.git \\( ! -type d -o -empty \\) -print0 | inside "$1"
  # A submodule that a new clone does not have.
  case $common in */.git/*modules/*) find "$common" \\( ! -type d -o -empty \\) -print0 | below ;; esac
  git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c "$files" sh | inside "$1"
  git ls-files -z --cached --others --exclude-standard | tr '\\0' '\\n' | uniq | while IFS= read -r name; do
    if [ -e "$name/.git" ] && [ ! -L "\${name%/}" ]; then repository "$1\${name%/}/"; fi
  done
)

while IFS= read -r at; do
  case $trees in *"$break\${at%/}$break"*) ;; *) [ ! -e "$at.git" ] || repository "$at" </dev/null ;; esac
done
for tree; do
  set -- "$@" -path "./$(pattern "$tree")" -o
  shift
done
set -- "$@" -name node_modules -o -name .pnpm-store -o -path ./.devcontainer-build-error.log
found=$(find . -xdev \\( "$@" \\) -prune -o -name .git -prune -print 2>/dev/null | sed 's|^\\./||; s|/*\\.git$||')
IFS=$break
set -f
for at in $found; do
  set -- "$@" -o -path "./$(pattern "$at")"
  repository "$at/"
done
find . -xdev \\( "$@" \\) -prune -o \\( ! -type d -o -empty \\) -print0 2>/dev/null
true`;
const listScript = hardeningItself(`{ ${looseFiles}
} | ${describeFiles}`);
const section = 'work/loose';

/** @param checkouts the captured trees, in folders of the workspace */
export function listLooseFiles(
  shell: WorkspaceShell,
  checkouts: readonly { readonly folder: string; readonly listing: Pick<TreeListing, 'inside'> }[],
): Promise<ListedFile[]> {
  const { root: workDir } = shell.place;
  const trees = checkouts.map(({ folder, listing }) => ({
    path: folder.slice(workDir.length + 1),
    inside: listing.inside,
  }));
  const lines = trees.flatMap(({ path, inside }) =>
    inside.map((name) => Buffer.concat([Buffer.from(`${path}/`), name, Buffer.from('\n')])),
  );
  const args = trees.map(({ path }) => path);
  return listFiles(shell, { text: listScript, args, workDir, input: Buffer.concat(lines) });
}

export function captureLooseFiles(
  shell: WorkspaceShell,
  { files, budget }: { readonly files: readonly ListedFile[]; readonly budget: SnapshotBudget },
): Section[] {
  const { root, workDir } = shell.place;
  const main = `${workDir.slice(root.length + 1)}/`;
  for (const { path } of files)
    if (path.endsWith('/'))
      budget.skip({
        path: path.startsWith(main) ? path.slice(main.length) : path,
        reason: 'nested_repository',
      });
  const selected = budget.select(
    files.filter(({ path }) => !path.endsWith('/')),
    '',
  );
  return selected.length > 0 ? [{ name: section, content: packFiles(shell, root, selected) }] : [];
}

/** Does nothing for a snapshot without such files. */
export async function restoreLooseFiles(shell: WorkspaceShell, archive: ArchiveReader): Promise<void> {
  if (archive.has(section)) await unpack(shell, shell.place.root, await archive.open(section));
}
