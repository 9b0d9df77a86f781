import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.js';
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
  readonly config: Pick<Config, 'files' | 'git'>;
}

/** What workspaces hold: their files, and what git knows of them. */
export function addWorkspaceContentRoutes(app: FastifyInstance, content: WorkspaceContent): void {
  const commands = new WorkspaceCommands(content.runner);
  const { files: limits, git } = content.config;
  const files = new Files(commands, limits);
  const worktrees = new Worktrees(commands, git);
  addFileRoutes(app, { ...content, files, uploads: new Uploads(commands, files, limits.upload), worktrees });
  addGitRoutes(app, { ...content, git: new GitViews(commands, git), worktrees });
}
