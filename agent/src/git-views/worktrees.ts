import { basename } from 'node:path';
import { AgentError } from '../errors.js';
import { checkEnd, isTimeout, type WorkspaceCommands } from '../files/workspace-commands.js';
import { offlineGitCommand, onlineGitCommand } from '../git/safe-git.js';
import { KeyLock } from '../shared/key-lock.js';
import type { Workspace } from '../workspaces/workspace.js';
import { checkGitEnd } from './check-git-end.js';
import type { GitLimits } from './git-views.js';
import { parseWorktrees, type WorktreeRecord } from './parse-worktrees.js';
import { alreadyThere, whyNotAdded, whyNotRemoved } from './worktree-refusals.js';

const limitBytes = 1_024 * 1_024;
const statusArguments = ['status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=dirty'];

export interface Worktree extends WorktreeRecord {
  readonly isPrimary: boolean;
  readonly isDirty: boolean;
  readonly dirtyFileCount: number;
}

export interface NewWorktree {
  readonly branch: string;
  readonly createBranch: boolean;
  readonly baseBranch: string | null;
}

/** Further working trees of a workspace's repository, beside it. Changes of one workspace come one after the other. */
export class Worktrees {
  private readonly lock = new KeyLock();

  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly limits: Pick<GitLimits, 'worktreeMs' | 'maxWorktrees'>,
  ) {}

  async list(workspace: Workspace): Promise<Worktree[]> {
    const records = await this.records(workspace);
    const worktrees: Worktree[] = [];
    // One command at a time: a list takes one of the workspace's places for commands.
    for (const record of records) worktrees.push(await this.describe(workspace, record));
    return worktrees;
  }

  /** The folder that `worktree` names. @throws AgentError not_found when git has no such worktree here */
  async folder(workspace: Workspace, worktree: string | undefined): Promise<string> {
    if (worktree === undefined) return this.commands.place(workspace).workDir;
    return (await this.find(workspace, worktree)).path;
  }

  create(workspace: Workspace, wanted: NewWorktree): Promise<Worktree> {
    return this.lock.run(workspace.workspaceId, async () => {
      const records = await this.records(workspace);
      const { maxWorktrees } = this.limits;
      if (records.length > maxWorktrees)
        throw new AgentError('worktree_limit', `A workspace may have ${maxWorktrees} worktrees`);
      if (records.some(({ branch }) => branch === wanted.branch))
        throw new AgentError('worktree_conflict', 'The branch is checked out in a worktree already');
      const { root, workDir } = this.commands.place(workspace);
      const path = `${root}/${basename(workDir)}-wt-${wanted.branch.replace(/[^A-Za-z0-9._-]+/g, '-')}`;
      if (records.some((record) => record.path === path)) throw alreadyThere();
      await this.add(workspace, path, wanted);
      return this.describe(workspace, await this.find(workspace, path));
    });
  }

  remove(workspace: Workspace, path: string, force: boolean): Promise<void> {
    return this.lock.run(workspace.workspaceId, async () => {
      const worktree = await this.describe(workspace, await this.find(workspace, path));
      if (worktree.isPrimary)
        throw new AgentError('invalid_request', 'path: the repository itself cannot be removed');
      if (worktree.dirtyFileCount > 0 && !force)
        throw new AgentError('worktree_dirty', `The worktree has ${worktree.dirtyFileCount} changed files`);
      const end = await this.git(workspace, removal(worktree.path, force));
      if (end.exitCode !== 0) throw whyNotRemoved(end);
    });
  }

  private async add(workspace: Workspace, path: string, wanted: NewWorktree): Promise<void> {
    const { branch, createBranch } = wanted;
    if (createBranch && (await this.hasBranch(workspace, branch))) throw alreadyThere();
    const { workDir } = this.commands.place(workspace);
    const end = await this.run(workspace, workDir, onlineGitCommand(...addArguments(path, wanted)));
    if (end.exitCode === 0) return;
    if (isTimeout(end)) {
      // What git was cut off at is of no use, and in the way of whoever tries again.
      await this.git(workspace, removal(path, true));
      if (createBranch) await this.git(workspace, ['branch', '-d', '--', branch]);
    }
    throw whyNotAdded(end);
  }

  private async hasBranch(workspace: Workspace, branch: string): Promise<boolean> {
    const args = ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`];
    return (await this.git(workspace, args)).exitCode === 0;
  }

  private async find(workspace: Workspace, path: string): Promise<WorktreeRecord> {
    const found = (await this.records(workspace)).find((record) => record.path === path);
    if (!found) throw new AgentError('not_found', 'The workspace has no such worktree');
    return found;
  }

  /** Those inside the workspace; git may be told of others, which are not ours to show. */
  private async records(workspace: Workspace): Promise<WorktreeRecord[]> {
    const collected = await this.git(workspace, ['worktree', 'list', '--porcelain']);
    checkGitEnd(collected);
    const { root } = this.commands.place(workspace);
    return parseWorktrees(collected.output.toString()).filter(({ path }) => path.startsWith(`${root}/`));
  }

  private async describe(workspace: Workspace, record: WorktreeRecord): Promise<Worktree> {
    const isPrimary = record.path === this.commands.place(workspace).workDir;
    if (record.isPrunable) return { ...record, isPrimary, isDirty: false, dirtyFileCount: 0 };
    const status = await this.run(workspace, record.path, offlineGitCommand(...statusArguments));
    // Of one that is damaged git says nothing, and it must not hide the others.
    if (status.exitCode === 128) return { ...record, isPrimary, isDirty: true, dirtyFileCount: 0 };
    checkEnd(status);
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

function addArguments(path: string, { branch, createBranch, baseBranch }: NewWorktree): string[] {
  if (!createBranch) return ['worktree', 'add', '--', path, branch];
  return ['worktree', 'add', '-b', branch, '--', path, baseBranch ?? 'HEAD'];
}

/** By force also one that is locked, as one is that git could not get ready. */
function removal(path: string, force: boolean): string[] {
  return ['worktree', 'remove', ...(force ? ['--force', '--force'] : []), '--', path];
}
