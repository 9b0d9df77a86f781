import type { FastifyInstance } from 'fastify';
import { Files } from '../files/files.js';
import { Uploads } from '../files/uploads.js';
import { WorkspaceCommands } from '../files/workspace-commands.js';
import { GitViews } from '../git-views/git-views.js';
import { Worktrees } from '../git-views/worktrees.js';
import type { WorkspaceRunner } from '../workspaces/command.js';
import { addFileRoutes } from './file-routes.js';
import { addGitRoutes } from './git-routes.js';
import type { Admission } from './workspace-request.js';

export interface WorkspaceContent extends Admission {
  readonly runner: WorkspaceRunner;
}

/** What workspaces hold: their files, and what git knows of them. */
export function addWorkspaceContentRoutes(app: FastifyInstance, content: WorkspaceContent): void {
  const commands = new WorkspaceCommands(content.runner);
  const files = new Files(commands);
  const worktrees = new Worktrees(commands);
  addFileRoutes(app, { ...content, files, uploads: new Uploads(commands, files), worktrees });
  addGitRoutes(app, { ...content, git: new GitViews(commands), worktrees });
}
