import { AgentError } from '../errors.js';
import { checkExit, isTimeout } from '../files/workspace-commands.js';
import type { CommandExit } from '../workspaces/runtime.js';

/** @throws AgentError not_found when the folder is no git repository; otherwise as `checkExit` */
export function checkGitExit(end: CommandExit): void {
  if (end.exitCode === 128 && /not a git repository|invalid gitfile format/.test(end.stderr))
    throw new AgentError('not_found', 'This folder has no git repository');
  checkExit(end);
}

export function worktreeExists(): AgentError {
  return new AgentError('worktree_conflict', 'The branch or its worktree folder already exists');
}

/** The error of a failed `git worktree add`. Git reports the cause in words only. */
export function worktreeAddFailure(end: CommandExit): Error {
  if (isTimeout(end)) checkExit(end);
  const { stderr } = end;
  if (/invalid reference|not a valid object name|not a commit/i.test(stderr))
    return new AgentError('not_found', 'Branch not found in the repository');
  if (/not a valid branch name/i.test(stderr))
    return new AgentError('invalid_request', 'branch: not a valid git branch name');
  if (/already (?:exists|checked out|used by worktree)|cannot lock ref/i.test(stderr))
    return worktreeExists();
  return new Error(`git worktree add failed: ${stderr.slice(-500)}`);
}

/** The error of a failed `git worktree remove`. @throws as `checkExit` */
export function worktreeRemoveFailure(end: CommandExit): Error {
  const { stderr } = end;
  if (/locked working tree/.test(stderr))
    return new AgentError('worktree_conflict', 'The worktree is locked. Remove it with force');
  if (/containing submodules/.test(stderr))
    return new AgentError('worktree_conflict', 'The worktree contains submodules. Remove it with force');
  if (/validation failed|invalid gitfile format/.test(stderr))
    return new AgentError('worktree_conflict', 'The worktree is damaged: git does not recognize its folder');
  checkExit(end);
  return new Error('git worktree remove failed');
}
