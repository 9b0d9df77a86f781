import { AgentError } from '../../errors.js';
import type { Command, RunningCommand, WorkspacePlace, WorkspaceRunner } from '../command.js';
import type { Workspace } from '../workspace.js';
import { workDirOf } from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { dockerName, workspacesMount } from './docker-names.js';
import { isEngineAway } from './engine-away.js';
import { awayStatuses, hasStatus } from './ignoring-status.js';
import { startInContainer } from './start-in-container.js';

/** Programs run inside the workspace's container; its volume is all they are meant to see. */
export class ContainerRunner implements WorkspaceRunner {
  constructor(private readonly engine: DockerEngine) {}

  place(workspace: Workspace): WorkspacePlace {
    return { root: workspacesMount, workDir: workDirOf(workspace) };
  }

  /** @throws AgentError unavailable when engine or container cannot be reached, as while it is started anew */
  async run(workspace: Workspace, command: Command): Promise<RunningCommand> {
    const container = this.engine.docker.getContainer(dockerName(workspace.workspaceId));
    try {
      return await startInContainer(container, command);
    } catch (cause) {
      if (!isEngineAway(cause) && !hasStatus(cause, awayStatuses)) throw cause;
      throw new AgentError('unavailable', 'The container of the workspace cannot be reached', { cause });
    }
  }
}
