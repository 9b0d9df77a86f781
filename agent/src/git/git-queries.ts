import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import type { Config } from '../config/config.js';
import { AgentError } from '../errors.js';
import type { CommandOutput, WorkspaceCommands } from '../files/workspace-commands.js';
import type { Workspace } from '../workspaces/workspace.js';
import { checkGitExit } from './git-failures.js';
import { gitScript, offlineGit, offlineGitCommand, onlineGit } from './hardened-git.js';
import { type GitStatus, parseStatus } from './parse-git-output.js';

const listLimitBytes = 8 * 1_024 * 1_024;
/** A path of one letter takes five bytes of the output, and more than 200 of memory. */
const statusRecords = 150_000;
const branchBytes = 2 * 1_024 * 1_024;

export type GitLimits = Config['git'];

/** A repository of the workspace: its main one, or one of its worktrees. */
export interface Repository {
  readonly workspace: Workspace;
  readonly folder: string;
}

export interface DiffQuery {
  readonly path: string | null;
  readonly staged: boolean;
  /** A revision: the changes since its merge base with HEAD, including the working tree. */
  readonly base: string | null;
}

/** \`$1\`: revision. */
const checkRevision = 'git rev-parse --verify --quiet --end-of-options "$1^{commit}" >/dev/null || exit 47\n';
/**
 * The format that the console parses, independent of git settings. Git does not enter submodules.
 */
const plainDiff =
  'git --literal-pathspecs diff --no-color --no-ext-diff --no-textconv --no-relative' +
  ' --src-prefix=a/ --dst-prefix=b/ --ignore-submodules=dirty';

/**
 * Rename detection needs the content of objects that a partial clone may lack; then run without it.
 */
const statusScript = offlineGit(`
show='git status --porcelain=v1 -z --untracked-files=all --ignore-submodules=dirty'
$show --find-renames
code=$?
[ $code = 128 ] || exit $code
exec $show --no-renames`);

/**
 * \`$1\`: path. An untracked file is shown as all new. `git diff --no-index` follows links, so the
 * script checks first that the file is inside the repository.
 */
const diffScript = onlineGit(`
# Outside of a repository git would compare files of any folder.
git rev-parse --git-dir >/dev/null || exit
if [ -n "$1" ] && [ -f "$1" ] && [ ! -L "$1" ] &&
  ! git --literal-pathspecs ls-files --error-unmatch -- "$1" >/dev/null 2>&1
then
  real=$(readlink -f -- "./$1"; echo x); real=\${real%?x}
  case "$real" in "$(pwd -P)"/*) ;; *) exit 41 ;; esac
  ${plainDiff} --no-index -- /dev/null "$1"
  [ $? -le 1 ]; exit
fi
exec ${plainDiff} -- \${1:+"$1"}`);
const stagedDiffScript = onlineGit(`git rev-parse --git-dir >/dev/null || exit
exec ${plainDiff} --cached -- \${1:+"$1"}`);
const baseDiffScript = onlineGit(`${checkRevision}
git merge-base "$1" HEAD >/dev/null || exit 47
exec ${plainDiff} --merge-base "$1" -- \${2:+"$2"}`);
const fileScript = onlineGit(`${checkRevision}
[ "$(git cat-file -t "$1:$2" 2>/dev/null)" = blob ] || exit 48
exec git cat-file blob "$1:$2"`);

/** Read-only queries on the repositories of a workspace: status, diff, file, branches. */
export class GitQueries {
  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly limits: GitLimits,
  ) {}

  async status(repository: Repository): Promise<GitStatus & { readonly truncated: boolean }> {
    const { output, isTruncated } = await this.git(repository, gitScript(statusScript), listLimitBytes);
    const { untracked, truncated, ...known } = parseStatus(output.toString(), statusRecords);
    // A crash can leave incomplete uploads.
    const files = untracked.filter(({ path }) => !/(?:^|\/)\.svc-upload-[0-9a-f]{24}$/.test(path));
    return { ...known, untracked: files, truncated: isTruncated || truncated };
  }

  async diff(repository: Repository, { path, staged, base }: DiffQuery) {
    const file = path === null ? '' : inside(repository, path);
    const own = staged ? stagedDiffScript : diffScript;
    const argv = base === null ? gitScript(own, file) : gitScript(baseDiffScript, base, file);
    const { output, isTruncated } = await this.git(repository, argv, this.limits.diffBytes);
    return { filePath: path, diff: output.toString(), truncated: isTruncated };
  }

  /** @throws AgentError payload_too_large */
  async file(repository: Repository, path: string, ref: string) {
    const argv = gitScript(fileScript, ref, inside(repository, path));
    const { fileBytes } = this.limits;
    const { output, isTruncated } = await this.git(repository, argv, fileBytes);
    if (isTruncated) throw new AgentError('payload_too_large', `The file is larger than ${fileBytes} bytes`);
    const isText = isUtf8(output) && !output.includes(0);
    const encoding: 'utf-8' | 'base64' = isText ? 'utf-8' : 'base64';
    return { filePath: path, ref, encoding, content: output.toString(isText ? 'utf8' : 'base64') };
  }

  async branches(repository: Repository) {
    const format = '--format=%(HEAD) %(refname)';
    const argv = offlineGitCommand('for-each-ref', format, 'refs/heads', 'refs/remotes/origin');
    const { output, isTruncated } = await this.git(repository, argv, branchBytes);
    return { branches: parseBranches(output.toString()), truncated: isTruncated };
  }

  private async git(
    { workspace, folder }: Repository,
    argv: string[],
    limit: number,
  ): Promise<CommandOutput> {
    const collected = await this.commands.collectRequested(
      workspace,
      { argv, timeoutMs: this.limits.execMs, workDir: folder },
      limit,
    );
    checkGitExit(collected);
    return collected;
  }
}

/**
 * The path relative to the repository. @throws AgentError forbidden when the path leads out of it
 */
function inside({ folder }: Repository, path: string): string {
  const relative = posix.relative(folder, posix.resolve(folder, path));
  if (relative === '..' || relative.startsWith('../'))
    throw new AgentError('forbidden', 'The path leads out of the repository');
  return relative === '' ? '.' : relative;
}

interface Branch {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly isLocal: boolean;
  readonly isRemote: boolean;
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one branch for each form of the input
function parseBranches(text: string): Branch[] {
  const branches = new Map<string, Branch>();
  for (const line of text.split('\n')) {
    const match = /^([* ]) refs\/(heads|remotes\/origin)\/(.+)$/.exec(line);
    const name = match?.[3];
    if (!match || !name || (match[2] !== 'heads' && name === 'HEAD')) continue;
    const known = branches.get(name) ?? { name, isCurrent: false, isLocal: false, isRemote: false };
    const isLocal = match[2] === 'heads';
    branches.set(name, {
      name,
      isCurrent: known.isCurrent || match[1] === '*',
      isLocal: known.isLocal || isLocal,
      isRemote: known.isRemote || !isLocal,
    });
  }
  return [...branches.values()];
}
