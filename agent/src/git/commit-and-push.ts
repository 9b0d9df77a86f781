import * as z from 'zod/mini';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import { redactText } from '../shared/redact.js';
import type { Repository } from './git-queries.js';
import { gitScript, onlineGit } from './hardened-git.js';

/** What the repository holds after `commitAndPush`. */
export type PushedWork =
  /** The branch has no commit of its own. */
  | { readonly state: 'nothing' }
  | { readonly state: 'pushed'; readonly branch: string; readonly commitSha: string }
  /** For the person: why, and what to do. */
  | { readonly state: 'failed'; readonly reason: string };

const timeoutMs = 60_000;
const maxOutputBytes = 4_096;
const Pushed = z.tuple([z.literal('pushed'), z.string(), z.string()]);

/**
 * \`$1\`: default branch; \`$2\`: message. A repeat finds nothing to commit, and the remote branch
 * at this commit. Never forces, and never writes to the default branch.
 */
const script = onlineGit(`
default=$1 message=$2
branch=$(git symbolic-ref --quiet --short HEAD) || exit 60
[ "$branch" != "$default" ] || exit 61
[ -z "$(git ls-files --unmerged)" ] || exit 62
if [ -n "$(git status --porcelain --ignore-submodules=dirty)" ]; then
  # Filters (Git LFS) are off here: their files must not be committed as they are.
  git ls-files -z --modified --others --exclude-standard | git check-attr -z --stdin filter |
    tr '\\n\\0' ' \\n' | awk 'NR % 3 == 0 && $0 != "unspecified" && $0 != "unset" { exit 1 }' || exit 63
  if ! git config user.email >/dev/null; then
    export GIT_AUTHOR_NAME=Berth GIT_AUTHOR_EMAIL=berth@localhost
    export GIT_COMMITTER_NAME=Berth GIT_COMMITTER_EMAIL=berth@localhost
  fi
  git add --all && git -c commit.gpgSign=false commit --quiet --message "$message" >&2 || exit 64
fi
head=$(git rev-parse --verify --quiet HEAD) || { echo nothing; exit; }
if [ "$(git rev-parse --verify --quiet "refs/remotes/origin/$branch")" != "$head" ]; then
  [ "$(git rev-list --count HEAD --not --remotes=origin)" != 0 ] || { echo nothing; exit; }
  git -c push.gpgSign=false -c push.recurseSubmodules=no push --quiet --set-upstream origin "HEAD:refs/heads/$branch" >&2 || exit 65
fi
printf '%s\\n' pushed "$branch" "$head"`);

const reasons: Readonly<Record<number, string>> = {
  49: 'The folder of the repository was moved or deleted.',
  60: 'No branch is checked out. Check out the branch of the task, then commit and push.',
  61: 'The default branch is checked out. Move the work to the branch of the task, then push that branch.',
  62: 'A merge has conflicts. Resolve them, then commit and push.',
  63: 'Files with a git filter (such as Git LFS) have changed. Commit them in the workspace, then push.',
  64: 'Git could not commit.',
  65: 'Git could not push.',
  124: 'Git did not end within 60 s.',
  137: 'Git did not end within 60 s.',
};

/** Commits all changes on the present branch and pushes it. No program of the repository runs. */
export async function commitAndPush(
  commands: WorkspaceCommands,
  { workspace, folder }: Repository,
  { defaultBranch, message }: { readonly defaultBranch: string; readonly message: string },
): Promise<PushedWork> {
  const argv = gitScript(script, defaultBranch, message);
  const request = { argv, timeoutMs, workDir: folder };
  const { exitCode, output, stderr } = await commands.collect(workspace, request, maxOutputBytes);
  if (exitCode !== 0) return { state: 'failed', reason: reasonOf(exitCode, stderr) };
  const lines = output.toString().trimEnd().split('\n');
  if (lines[0] === 'nothing') return { state: 'nothing' };
  const [state, branch, commitSha] = Pushed.parse(lines);
  return { state, branch, commitSha };
}

function reasonOf(exitCode: number | null, stderr: string): string {
  const reason = reasons[exitCode ?? 137] ?? `Git failed (exit code ${exitCode}).`;
  if (exitCode !== null && exitCode < 64 && reasons[exitCode]) return reason;
  const detail = redactText(stderr).trim().split('\n').slice(-3).join('\n').slice(-500);
  return detail ? `${reason}\n${detail}` : reason;
}
