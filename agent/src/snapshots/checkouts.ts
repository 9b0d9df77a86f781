import { offlineGit } from '../git/hardened-git.js';
import { printMark } from './marked-parts.js';
import type { WorkspaceShell } from './workspace-shell.js';

/** One checkout of a repository: its own, or a worktree. */
export interface Checkout {
  /** Its name; null for the repository's own checkout. */
  readonly worktree: string | null;
  readonly folder: string;
}

export interface Repository {
  /** Relative to the main repository. */
  readonly path: string;
  readonly folder: string;
  /** Those that lie in the workspace. The repository's own is the first. */
  readonly checkouts: readonly Checkout[];
}

/** Prints the submodules of the index, one a line. */
export const listSubmodules = `git ls-files -s -z | tr '\\0' '\\n' | sed -n 's/^160000 [^\\t]*\\t//p'`;

/**
 * `$1`: the branch that a new clone checks out. Prints the main repository and the submodules that
 * a new clone has: path, name (or `-`) and folder of each checkout, each ended with NUL, and one
 * more NUL. `git submodule foreach` would run with the unsafe settings of each submodule.
 */
const listCheckouts = `
git rev-parse --git-dir >/dev/null || exit 1
top=$(pwd -P)
tab=$(printf '\\t')

# $1: path of the repository in the current folder. One that is a worktree of another has no checkout here.
repository() {
  printf '%s\\0' "$1"
  common=$(cd "$(git rev-parse --git-common-dir)" && pwd -P)
  if [ "$common" = "$(cd "$(git rev-parse --git-dir)" && pwd -P)" ]; then
    printf -- '-\\0%s\\0' "$(pwd -P)"
    for own in "$common"/worktrees/*/; do
      [ -f "$own/gitdir" ] || continue
      folder=$(dirname "$(cat "$own/gitdir")")
      [ -e "$folder/.git" ] && printf '%s\\0%s\\0' "$(basename "$own")" "$(cd "$folder" && pwd -P)"
    done
  fi
  printf '\\0'
}

# $1: path of the repository, others: commits of a new clone, which all have its submodules.
below() {
  prefix=$1
  shift
  [ $# -gt 0 ] || return 0
  ${listSubmodules} | uniq | while IFS= read -r sub; do
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
      repository "$prefix$sub"
      below "$prefix$sub/" $links
    )
  done
}
repository .
below '' $(for ref in HEAD "$1"; do git rev-parse --verify --quiet "refs/remotes/origin/$ref^{commit}"; done)`;

/** Prints the output of the script, the mark, and all checkouts; it lists them at the same time. */
export const withCheckouts = (script: string, mark: string): string =>
  offlineGit(`{ ${listCheckouts}
} | {
${script}
${printMark(mark)}
cat
}`);

/**
 * The main repository and its checked-out submodules that a new clone has. @throws without the main
 * repository
 */
export function parseCheckouts(printed: Buffer, { root, workDir }: WorkspaceShell['place']): Repository[] {
  const repositories = printed.toString().split('\0\0').slice(0, -1);
  if (repositories.length === 0) throw new Error('Git could not list the checkouts');
  return repositories.map((one) => {
    const [path = '', ...fields] = one.split('\0');
    if (fields.length === 0) throw new Error(`${path} is a worktree of another repository`);
    const checkouts = pairs(fields).filter(({ folder }) => folder.startsWith(`${root}/`));
    return { path, folder: path === '.' ? workDir : `${workDir}/${path}`, checkouts };
  });
}

const pairs = (fields: readonly string[]): Checkout[] =>
  fields.flatMap((folder, index) => {
    const worktree = fields[index - 1];
    return index % 2 === 0 ? [] : [{ worktree: worktree === '-' ? null : (worktree ?? null), folder }];
  });
