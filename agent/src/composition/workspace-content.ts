import { Files } from '../files/files.js';
import { containerFileRoots, localFileRoots, PlainFiles } from '../files/plain-files.js';
import { Uploads } from '../files/uploads.js';
import { GitQueries } from '../git/git-queries.js';
import type { WorkspaceProcesses } from '../ports/workspace-processes.js';
import type { Foundation } from './foundation.js';
import type { WorkspaceServices } from './workspaces.js';

/** Files of workspaces, and what git reports about their repositories. */
export interface WorkspaceContent {
  readonly files: Files;
  readonly plainFiles: PlainFiles;
  readonly uploads: Uploads;
  readonly git: GitQueries;
}

export function composeWorkspaceContent(
  { config }: Foundation,
  { commands, runner }: WorkspaceServices,
  processes: WorkspaceProcesses,
): WorkspaceContent {
  const files = new Files(commands, config.files);
  const roots =
    config.role === 'standalone' ? localFileRoots(runner) : containerFileRoots(processes, '/proc');
  return {
    files,
    plainFiles: new PlainFiles(roots),
    uploads: new Uploads(commands, files, config.files.upload),
    git: new GitQueries(commands, config.git),
  };
}
