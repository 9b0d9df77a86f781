import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.js';
import { containerFileRoots, localFileRoots } from '../files/file-roots.js';
import { Files } from '../files/files.js';
import { PlainFiles } from '../files/plain-files.js';
import { Uploads } from '../files/uploads.js';
import { WorkspaceCommands } from '../files/workspace-commands.js';
import { GitViews } from '../git-views/git-views.js';
import { Worktrees } from '../git-views/worktrees.js';
import type { WorkspaceProcesses } from '../ports/workspace-processes.js';
import type { WorkspaceRunner } from '../workspaces/command.js';
import { addFileRoutes } from './file-routes.js';
import { addGitRoutes } from './git-routes.js';
import type { Admission } from './workspace-request.js';

export interface WorkspaceContent extends Admission {
  readonly runner: WorkspaceRunner;
  readonly config: Pick<Config, 'role' | 'files' | 'git'>;
  readonly processes: WorkspaceProcesses;
}

/** What workspaces hold: their files, and what git knows of them. */
export function addWorkspaceContentRoutes(app: FastifyInstance, content: WorkspaceContent): void {
  const commands = new WorkspaceCommands(content.runner);
  const { role, files: limits, git } = content.config;
  const files = new Files(commands, limits);
  const plainFiles = new PlainFiles(
    role === 'standalone' ? localFileRoots(content.runner) : containerFileRoots(content.processes, '/proc'),
  );
  const worktrees = new Worktrees(commands, git);
  const uploads = new Uploads(commands, files, limits.upload);
  addFileRoutes(app, { ...content, files, plainFiles, uploads, worktrees });
  addGitRoutes(app, { ...content, git: new GitViews(commands, git), worktrees });
}
