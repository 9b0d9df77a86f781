import { AgentError } from '../errors.js';
import { checkEnd } from '../files/workspace-commands.js';
import type { CommandEnd } from '../workspaces/command.js';

/** @throws AgentError not_found where git finds no repository: people may take it away. Else as `checkEnd` does */
export function checkGitEnd(end: CommandEnd): void {
  if (end.exitCode === 128 && /not a git repository|invalid gitfile format/.test(end.stderr))
    throw new AgentError('not_found', 'There is no git repository in this folder');
  checkEnd(end);
}
