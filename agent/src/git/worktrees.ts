import { basename } from 'node:path';
import { AgentError } from '../errors.js';
import { checkExit, isTimeout, type WorkspaceCommands } from '../files/workspace-commands.js';
import { KeyLock } from '../shared/key-lock.js';
import { StreamLimit } from '../streams/byte-budget.js';
import type { Workspace } from '../workspaces/workspace.js';
import { checkGitExit, worktreeAddFailure, worktreeExists, worktreeRemoveFailure } from './git-failures.js';
import type { GitLimits } from './git-queries.js';
import { offlineGitCommand, onlineGitCommand } from './hardened-git.js';
import { parseWorktrees, type WorktreeRecord } from './parse-git-output.js';

const limitBytes = 1_024 * 1_024;
/** Each takes a command. Programs in the workspace may add more worktrees than the API. */
const listedWorktrees = 50;
const statusArguments = ['status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=dirty'];

export interface Worktree extends WorktreeRecord {
  readonly isPrimary: boolean;
  readonly isDirty: boolean;
  readonly dirtyFileCount: number;
}

export interface WorktreeList {
  readonly worktrees: readonly Worktree[];
  /** The workspace has more. */
  readonly truncated: boolean;
}

export interface NewWorktree {
  readonly branch: string;
  readonly createBranch: boolean;
  readonly baseBranch: string | null;
}

/** The worktrees beside a workspace's repository. Changes in one workspace are serialized. */
export class Worktrees {
  private readonly lock = new KeyLock();

  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly limits: Pick<GitLimits, 'worktreeMs' | 'maxWorktrees'>,
  ) {}

  async list(workspace: Workspace): Promise<WorktreeList> {
    const records = await this.records(workspace);
    const worktrees: Worktree[] = [];
    // One command at a time: a list takes one of the workspace's command slots.
    for (const record of records.slice(0, listedWorktrees))
      worktrees.push(await this.describe(workspace, record));
    return { worktrees, truncated: records.length > listedWorktrees };
  }

  /** The folder of a worktree; the repository when undefined. @throws AgentError not_found */
  async folder(workspace: Workspace, worktree: string | undefined): Promise<string> {
    if (worktree === undefined) return this.commands.place(workspace).workDir;
    return (await this.find(workspace, worktree)).path;
  }

  create(workspace: Workspace, request: NewWorktree): Promise<Worktree> {
    return this.lock.run(workspace.workspaceId, async () => {
      const records = await this.records(workspace);
      const { maxWorktrees } = this.limits;
      if (records.length > maxWorktrees)
        throw new AgentError(
          'worktree_limit',
          `The workspace has ${records.length - 1} worktrees (limit ${maxWorktrees}). Remove one first`,
        );
      if (records.some(({ branch }) => branch === request.branch))
        throw new AgentError('worktree_conflict', 'The branch is already checked out in another worktree');
      const { root, workDir } = this.commands.place(workspace);
      const path = `${root}/${basename(workDir)}-wt-${request.branch.replace(/[^A-Za-z0-9._-]+/g, '-')}`;
      if (records.some((record) => record.path === path)) throw worktreeExists();
      await this.add(workspace, path, request);
      return this.describe(workspace, await this.find(workspace, path));
    });
  }

  remove(workspace: Workspace, path: string, force: boolean): Promise<void> {
    return this.lock.run(workspace.workspaceId, async () => {
      const worktree = await this.describe(workspace, await this.find(workspace, path));
      if (worktree.isPrimary)
        throw new AgentError('invalid_request', 'path: the main repository cannot be removed');
      if (worktree.dirtyFileCount > 0 && !force)
        throw new AgentError(
          'worktree_dirty',
          `The worktree has ${worktree.dirtyFileCount} changed files. Commit them, or remove it with force`,
        );
      const end = await this.git(workspace, removal(worktree.path, force));
      if (end.exitCode !== 0) throw worktreeRemoveFailure(end);
    });
  }

  private async add(workspace: Workspace, path: string, request: NewWorktree): Promise<void> {
    const { branch, createBranch } = request;
    if (createBranch && (await this.hasBranch(workspace, branch))) throw worktreeExists();
    const { workDir } = this.commands.place(workspace);
    const end = await this.run(workspace, workDir, onlineGitCommand(...addArguments(path, request)));
    if (end.exitCode === 0) return;
    if (isTimeout(end)) {
      // An incomplete worktree is useless, and would make the next attempt fail.
      await this.git(workspace, removal(path, true));
      if (createBranch) await this.git(workspace, ['branch', '-d', '--', branch]);
    }
    throw worktreeAddFailure(end);
  }

  private async hasBranch(workspace: Workspace, branch: string): Promise<boolean> {
    const args = ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`];
    return (await this.git(workspace, args)).exitCode === 0;
  }

  private async find(workspace: Workspace, path: string): Promise<WorktreeRecord> {
    const found = (await this.records(workspace)).find((record) => record.path === path);
    if (!found) throw new AgentError('not_found', 'Worktree not found in the workspace');
    return found;
  }

  /** The worktrees inside the workspace. Git may list others, which are not shown. */
  private async records(workspace: Workspace): Promise<WorktreeRecord[]> {
    const collected = await this.git(workspace, ['worktree', 'list', '--porcelain']);
    checkGitExit(collected);
    if (collected.isTruncated) throw tooManyWorktrees();
    const { root } = this.commands.place(workspace);
    return parseWorktrees(collected.output.toString()).filter(({ path }) => path.startsWith(`${root}/`));
  }

  private async describe(workspace: Workspace, record: WorktreeRecord): Promise<Worktree> {
    const isPrimary = record.path === this.commands.place(workspace).workDir;
    if (record.isPrunable) return { ...record, isPrimary, isDirty: false, dirtyFileCount: 0 };
    const status = await this.run(workspace, record.path, offlineGitCommand(...statusArguments));
    // Git fails in a damaged worktree, which must not hide the other worktrees.
    if (status.exitCode === 128) return { ...record, isPrimary, isDirty: true, dirtyFileCount: 0 };
    checkExit(status);
    const dirtyFileCount = status.output.toString().split('\0').length - 1;
    return { ...record, isPrimary, isDirty: dirtyFileCount > 0, dirtyFileCount };
  }

  private git(workspace: Workspace, args: readonly string[]) {
    return this.run(workspace, this.commands.place(workspace).workDir, offlineGitCommand(...args));
  }

  private run(workspace: Workspace, workDir: string, argv: readonly string[]) {
    const program = { argv, timeoutMs: this.limits.worktreeMs, workDir };
    return this.commands.collectRequested(workspace, program, limitBytes);
  }
}

function tooManyWorktrees(): StreamLimit {
  const message = `The list of worktrees exceeds ${limitBytes} bytes. Remove some with git worktree remove`;
  return new StreamLimit('payload_too_large', message);
}

function addArguments(path: string, { branch, createBranch, baseBranch }: NewWorktree): string[] {
  if (!createBranch) return ['worktree', 'add', '--', path, branch];
  return ['worktree', 'add', '-b', branch, '--', path, baseBranch ?? 'HEAD'];
}

/** `--force` twice also removes a locked worktree; git locks a worktree that it did not finish. */
function removal(path: string, force: boolean): string[] {
  return ['worktree', 'remove', ...(force ? ['--force', '--force'] : []), '--', path];
}
