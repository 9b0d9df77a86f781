import { AgentError } from '../../errors.js';
import type { Command, RunningCommand, WorkspacePlace, WorkspaceRunner } from '../runtime.js';
import type { Workspace } from '../workspace.js';
import { workDirOf } from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { awayStatuses, hasStatus, isEngineUnavailable } from './docker-errors.js';
import { dockerName, workspacesMount } from './docker-names.js';
import { startInContainer } from './start-in-container.js';

/** Runs programs inside the workspace's container, on its volume. */
export class ContainerRunner implements WorkspaceRunner {
  constructor(
    private readonly engine: DockerEngine,
    private readonly nameOf = dockerName,
  ) {}

  place(workspace: Workspace): WorkspacePlace {
    return { root: workspacesMount, workDir: workDirOf(workspace) };
  }

  /**
   * @throws AgentError unavailable when engine or container cannot be reached, as during a restart
   */
  async run(workspace: Workspace, command: Command): Promise<RunningCommand> {
    const container = this.engine.docker.getContainer(this.nameOf(workspace.workspaceId));
    try {
      return await startInContainer(container, command);
    } catch (cause) {
      if (!isEngineUnavailable(cause) && !hasStatus(cause, awayStatuses)) throw cause;
      throw new AgentError(
        'unavailable',
        'The container of the workspace is not reachable. Try again when it runs',
        { cause },
      );
    }
  }
}
