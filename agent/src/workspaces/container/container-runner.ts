import type { Command, WorkspacePlace, WorkspaceRunner } from '../command.js';
import type { Workspace } from '../workspace.js';
import { workDirOf } from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { dockerName, workspacesMount } from './docker-names.js';
import { startInContainer } from './start-in-container.js';

/** Programs run inside the workspace's container; its volume is all they are meant to see. */
export class ContainerRunner implements WorkspaceRunner {
  constructor(private readonly engine: DockerEngine) {}

  place(workspace: Workspace): WorkspacePlace {
    return { root: workspacesMount, workDir: workDirOf(workspace) };
  }

  run(workspace: Workspace, command: Command) {
    return startInContainer(this.engine.docker.getContainer(dockerName(workspace.workspaceId)), command);
  }
}
