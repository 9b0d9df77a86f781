import { AgentError } from '../errors.js';
import { checkEnd, isTimeout } from '../files/workspace-commands.js';
import type { CommandEnd } from '../workspaces/command.js';

export function alreadyThere(): AgentError {
  return new AgentError('worktree_conflict', 'The branch or its folder is there already');
}

/** Why git made no worktree, which it tells by words alone. @throws as `checkEnd` does */
export function whyNotAdded(end: CommandEnd): Error {
  if (isTimeout(end)) checkEnd(end);
  const { stderr } = end;
  if (/invalid reference|not a valid object name|not a commit/i.test(stderr))
    return new AgentError('not_found', 'The repository has no such branch');
  if (/not a valid branch name/i.test(stderr))
    return new AgentError('invalid_request', 'branch: git does not take this name');
  if (/already (?:exists|checked out|used by worktree)|cannot lock ref/i.test(stderr)) return alreadyThere();
  return new Error(`git worktree add failed: ${stderr.slice(-500)}`);
}

/** Why git removed no worktree. @throws as `checkEnd` does */
export function whyNotRemoved(end: CommandEnd): Error {
  const { stderr } = end;
  if (/locked working tree/.test(stderr))
    return new AgentError('worktree_conflict', 'The worktree is locked; only by force is it removed');
  if (/containing submodules/.test(stderr))
    return new AgentError('worktree_conflict', 'The worktree holds submodules; only by force is it removed');
  if (/validation failed|invalid gitfile format/.test(stderr))
    return new AgentError('worktree_conflict', 'The worktree is damaged: git does not know it as its own');
  checkEnd(end);
  return new Error('git worktree remove failed');
}
