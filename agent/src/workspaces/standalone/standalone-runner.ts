import { join } from 'node:path';
import type { Command, WorkspacePlace, WorkspaceRunner } from '../command.js';
import { repositoryFolder, type Workspace } from '../workspace.js';
import type { WorkspaceSources } from '../workspace-sources.js';
import { shellEnvironment } from './shell-environment.js';
import { startLocally } from './start-locally.js';

/** Programs run on this machine with the environment that a shell of the workspace has. */
export class StandaloneRunner implements WorkspaceRunner {
  constructor(
    private readonly baseDir: string,
    private readonly sources: WorkspaceSources,
  ) {}

  place({ workspaceId, settings }: Workspace): WorkspacePlace {
    const root = join(this.baseDir, workspaceId, 'work');
    return { root, workDir: join(root, repositoryFolder(settings)) };
  }

  async run({ workspaceId }: Workspace, command: Command) {
    const env = shellEnvironment({
      workspaceId,
      home: join(this.baseDir, workspaceId, 'home'),
      gitSettings: join(this.sources.runFolder(workspaceId), 'gitconfig'),
      extra: {},
    });
    return startLocally(command, env);
  }
}
