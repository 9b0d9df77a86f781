import type { Random } from '../agent/random.js';

/** Names of files that the work of one cycle uses. */
type Act = (name: string, random: Random) => string;

/** Each leaves something that only this workspace has. A step that git refuses changes nothing. */
const acts: readonly Act[] = [
  (name) => `echo ${name} > ${name}.txt && git add ${name}.txt && git commit -qm ${name}`,
  (name) => `echo ${name} > ${name}.txt && git add ${name}.txt && echo more >> ${name}.txt`,
  (name) =>
    `mkdir -p deep/${name} && printf '\\000\\001${name}' > deep/${name}/binary && chmod 755 deep/${name}/binary`,
  (name) => `ln -sf ../hello.sh 'link to ${name}'`,
  (name) => `echo ${name} >> hello.sh && git stash -q && echo kept > 'ümlaut ${name}'`,
  (name) =>
    `git rm -q --cached README.md && rm -f README.md && echo again > README.md; git tag -f tag-${name}`,
  (name) => `git worktree add -q ../tree-${name} -b tree-${name} && echo ${name} > ../tree-${name}/there.txt`,
  (name, random) => `head -c ${random.between(1, 4_000_000)} /dev/urandom > large-${name}`,
  (name) => `mkdir -p ~/notes && echo ${name} > ~/notes/${name} && chmod 600 ~/notes/${name}`,
  // A merge with a conflict, which stays under way.
  (name) =>
    [
      `git checkout -q -b side-${name}`,
      `echo side > both.txt && git add both.txt && git commit -qm side-${name}`,
      'git checkout -q - && echo main > both.txt && git add both.txt && git commit -qm main',
      `git merge -q side-${name}`,
    ].join(' && '),
  (name) =>
    [
      `git init -q ../made-${name}`,
      `git -C ../made-${name} -c user.name=Me -c user.email=me@example.test commit -q --allow-empty -m one`,
      `git -c protocol.file.allow=always submodule add -q "$(cd ../made-${name} && pwd)" sub-${name}`,
      // Kept by a stash and a reset, which would leave a repository that is no submodule.
      `git commit -qm sub-${name}`,
      `echo ${name} > sub-${name}/inside.txt && git -C sub-${name} add inside.txt`,
    ].join(' && '),
  (name) =>
    `echo ${name} > run-${name} && git add run-${name} && chmod 4750 run-${name} && chmod 444 hello.sh`,
  (name) => `: > empty-${name} && printf %s ${name} > '-n "quoted" ${name}'`,
  // It replaces a file by a folder, and the other way round.
  (name) => `rm -rf turned && mkdir turned && echo ${name} > turned/file`,
  () => 'rm -rf turned && echo file > turned && git add -A turned',
  // A repository that is no submodule, with work of its own.
  (name) =>
    [
      `git init -q clone-${name} && cd clone-${name} && git config user.name Me && git config user.email me@example.test`,
      `echo ${name} > file && git add file && git commit -qm one && echo stashed > file && git stash -q`,
      `echo changed > file && echo new > 'not [added]'`,
    ].join(' && '),
  (name) => `git worktree add -q .trees/${name} -b inner-${name} && echo ${name} > .trees/${name}/there.txt`,
  // Where uploads go.
  (name) =>
    `mkdir -p ../.private && echo ${name} > '../.private/upload ${name}' && ln -s gone ../.private/link-${name}`,
];

/** Leaves no merge under way and few worktrees and large files, so that cycles do not add up. */
const tidy = [
  'git merge --abort',
  'git reset -q --hard',
  'rm -f large-*',
  'for tree in ../tree-*; do [ -d "$tree" ] && git worktree remove --force "$tree"; done',
].join('\n');

/** A shell script of several random acts in the repository. */
export function randomWork(random: Random, name: string): string {
  const chosen = Array.from({ length: random.between(2, 6) }, (_, index) => {
    const act = random.pick(acts);
    return `(${act?.(`${name}-${index}`, random)})`;
  });
  return [
    'exec 2>/dev/null',
    'git config user.name Me',
    'git config user.email me@example.test',
    ...(random.chance(0.5) ? [tidy] : []),
    ...chosen,
    'exit 0',
  ].join('\n');
}

/**
 * Writes everything that a sleep must keep to `$1`: trees, index, refs, stash, modes, worktrees,
 * unfinished operations and files of the home.
 */
export const stateScript = `
{
  for tree in . ../tree-* .trees/* clone-*; do
    [ -e "$tree/.git" ] || continue
    echo "tree $tree"
    ( cd "$tree" || exit
      git symbolic-ref -q HEAD; git rev-parse HEAD
      git status --porcelain=v2 --untracked-files=all
      git ls-files -s
      for name in MERGE_HEAD CHERRY_PICK_HEAD MERGE_MSG; do
        file=$(git rev-parse --git-path "$name")
        [ -f "$file" ] && echo "$name $(git hash-object "$file")"
      done
      find . -path ./.git -prune -o ! -type d -printf '%y %m %p %l\\n' | LC_ALL=C sort
      # The \`.git\` of a worktree names an absolute path.
      # Its own status refreshes the cached times in the index of a clone: \`ls-files\` has the content.
      find . -path ./.git -prune -o -type f ! -path '*/.trees/*/.git' ! -path './clone-*/.git/index' -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum )
  done
  find ../.private ../made-* ! -type d -printf '%y %m %p %l\\n' | LC_ALL=C sort
  find ../.private ../made-* -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum
  git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/tags
  git stash list --format='%H %gs'
  find ~/notes -type f -printf '%m %p\\n' 2>/dev/null | sed "s|$HOME|~|" | LC_ALL=C sort
  find ~/notes -type f -exec sha256sum {} + 2>/dev/null | sed "s|$HOME|~|" | LC_ALL=C sort
} > "$1" 2>&1
exit 0`;
