import { posix } from 'node:path';
import * as z from 'zod/mini';
import { ghPath, installGhWrapper } from '../../git/gh-wrapper.js';
import type { PlatformVariables } from '../platform-variables.js';
import type { Workspace } from '../workspace.js';
import type { WorkspaceSources } from '../workspace-sources.js';
import {
  type ContainerOrigin,
  type ContainerPlan,
  containerSettings,
  limitsOf,
  type Startup,
  workDirOf,
} from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { dockerName, labels, labelsOf, runMount, workspacesMount } from './docker-names.js';
import type { WorkspaceNetworks } from './workspace-networks.js';

const stopGraceSeconds = 10;
const StartupLabel = z.object({ user: z.string(), commands: z.array(z.string()) });
const origins: readonly ContainerOrigin[] = ['own', 'fallback', 'default'];

/** Starts and stops containers of workspaces, with what each start needs. */
export class ContainerLifecycle {
  constructor(
    private readonly options: { readonly nodeId: string; readonly variables: PlatformVariables },
    private readonly deps: {
      readonly engine: DockerEngine;
      readonly networks: WorkspaceNetworks;
      readonly sources: WorkspaceSources;
    },
  ) {}

  /**
   * Replaces the existing container by a new one.
   * @param files folder of this machine that becomes the repository; null: the volume has the files
   */
  async startNew(workspace: Workspace, plan: ContainerPlan, files: string | null): Promise<void> {
    const { workspaceId, generation } = workspace;
    const { nodeId, variables } = this.options;
    const name = dockerName(workspaceId);
    await this.deps.engine.removeContainer(name);
    const objectLabels = labelsOf({ workspaceId, nodeId, generation });
    for (const { volume } of plan.mounts) await this.deps.engine.createVolume(volume, objectLabels);
    await this.deps.sources.prepare(workspace, runMount);
    const runFolder = this.deps.sources.runFolder(workspaceId);
    const limits = limitsOf(workspace.settings.reservation, await this.deps.engine.size());
    const network = await this.deps.networks.ensure(workspace);
    const settings = containerSettings(workspace, {
      ...{ nodeId, plan, network, limits, runFolder },
      variables: variables(workspace),
    });
    const container = await this.deps.engine.docker.createContainer(settings);
    await container.start();
    const { User: user } = (await container.inspect()).Config;
    if (files !== null) await this.deps.engine.copyFolder(name, { from: files, to: workDirOf(workspace) });
    // The user of the image needs the files; an image without a user runs as root, who owns them.
    // Another image may have another user.
    if (user || files === null)
      await this.deps.engine.run(name, ['chown', '-R', user || '0', workspacesMount], '0');
    for (const { target } of user ? plan.mounts : [])
      await this.deps.engine.run(name, ['chown', user, target], '0');
    await this.deps.engine.run(name, installGhWrapper(posix.join(runMount, ghPath)), '0');
    await this.startup(name, plan.startup);
  }

  /**
   * Restarts the existing container. Returns null when it is missing or on a network that is no
   * longer allowed.
   */
  async startAgain(workspace: Workspace): Promise<{ origin: ContainerOrigin; workDir: string } | null> {
    const name = dockerName(workspace.workspaceId);
    await this.deps.engine.stopContainer(name, stopGraceSeconds);
    const currentNetwork = (await this.deps.engine.inspect(name))?.HostConfig.NetworkMode;
    if (currentNetwork !== (await this.deps.networks.ensure(workspace))) return null;
    if (!(await this.deps.engine.startContainer(name))) return null;
    await this.deps.sources.prepare(workspace, runMount);
    const container = await this.deps.engine.inspect(name);
    if (!container) return null;
    const { Labels, WorkingDir } = container.Config;
    await this.deps.engine.run(name, installGhWrapper(posix.join(runMount, ghPath)), '0');
    await this.startup(name, parseStartup(Labels[labels.startup]));
    const origin = origins.find((known) => known === Labels[labels.origin]) ?? 'default';
    return { origin, workDir: WorkingDir };
  }

  async stop(workspaceId: string): Promise<void> {
    await this.deps.engine.stopContainer(dockerName(workspaceId), stopGraceSeconds);
  }

  private async startup(name: string, { user, commands }: Startup): Promise<void> {
    if (commands.length === 0) return;
    await this.deps.engine.runDetached(name, ['/bin/sh', '-c', commands.join('\n')], user);
  }
}

function parseStartup(text: string | undefined): Startup {
  return text ? StartupLabel.parse(JSON.parse(text)) : { user: '', commands: [] };
}
