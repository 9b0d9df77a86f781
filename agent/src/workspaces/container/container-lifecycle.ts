import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import * as z from 'zod/mini';
import { ghPath, installGhWrapper } from '../../git/gh-wrapper.js';
import type { PlatformVariables } from '../platform-variables.js';
import type { ProvisionContext } from '../runtime.js';
import type { Workspace } from '../workspace.js';
import type { WorkspaceSources } from '../workspace-sources.js';
import {
  type ContainerLimits,
  type ContainerOrigin,
  type ContainerPlan,
  containerSettings,
  limitsOf,
  type Startup,
  workDirOf,
} from './container-settings.js';
import type { DockerEngine } from './docker-engine.js';
import { DockerError } from './docker-errors.js';
import { dockerName, labels, labelsOf, parseLabel, runMount, workspacesMount } from './docker-names.js';
import type { ServiceContainers } from './service-containers.js';
import { divideLimits } from './service-settings.js';
import type { WorkspaceNetworks } from './workspace-networks.js';

const stopGraceSeconds = 10;
const StartupLabel = z.object({ user: z.string(), commands: z.array(z.string()) });
const origins: readonly ContainerOrigin[] = ['own', 'fallback', 'default'];

interface NewStart {
  readonly files: string | null;
  readonly context: ProvisionContext;
}

/** Starts and stops containers of workspaces, with what each start needs. */
export class ContainerLifecycle {
  constructor(
    private readonly options: {
      readonly nodeId: string;
      readonly variables: PlatformVariables;
      readonly harnessPath: string | null;
    },
    private readonly deps: {
      readonly engine: DockerEngine;
      readonly networks: WorkspaceNetworks;
      readonly sources: WorkspaceSources;
      readonly services: ServiceContainers;
    },
  ) {}

  /**
   * Replaces the existing containers by new ones.
   * @param start.files folder of this machine that becomes the repository; null: the volume has the
   * files
   */
  async startNew(workspace: Workspace, plan: ContainerPlan, start: NewStart): Promise<void> {
    await this.deps.services.remove(workspace.workspaceId);
    await this.createOwn(workspace, plan, start.files);
    await this.deps.services.start(workspace.workspaceId, start.context);
    await this.startup(dockerName(workspace.workspaceId), plan.startup);
  }

  private async createOwn(workspace: Workspace, plan: ContainerPlan, files: string | null): Promise<void> {
    const { workspaceId, generation } = workspace;
    const { nodeId, variables, harnessPath } = this.options;
    const name = dockerName(workspaceId);
    await this.deps.engine.removeContainer(name);
    const objectLabels = labelsOf({ workspaceId, nodeId, generation });
    for (const { volume } of plan.mounts) await this.deps.engine.createVolume(volume, objectLabels);
    await this.deps.sources.prepare(workspace, runMount);
    const runFolder = this.deps.sources.runFolder(workspaceId);
    const limits = await this.limits(workspace, plan);
    const network = await this.deps.networks.ensure(workspace);
    const settings = containerSettings(workspace, {
      ...{ nodeId, plan, network, runFolder },
      limits: { ...limits.own, ...(await this.diskLimit(workspace)) },
      variables: variables(workspace),
      harnesses: existingFolder(harnessPath),
    });
    const container = await this.deps.engine.docker.createContainer(settings);
    await container.start();
    await this.deps.services.create(plan.services.plans, {
      workspaceId,
      labels: objectLabels,
      limits: limits.service,
    });
    const { User: user } = (await container.inspect()).Config;
    if (files !== null) await this.deps.engine.copyFolder(name, { from: files, to: workDirOf(workspace) });
    // The user of the image needs the files; an image without a user runs as root, who owns them.
    // Another image may have another user.
    if (user || files === null)
      await this.deps.engine.run(name, ['chown', '-R', user || '0', workspacesMount], '0');
    for (const { target } of user ? plan.mounts : [])
      await this.deps.engine.run(name, ['chown', user, target], '0');
    await this.deps.engine.run(name, installGhWrapper(posix.join(runMount, ghPath)), '0');
  }

  /** Of what the container writes beside its volumes, where the engine can limit disk. */
  private async diskLimit({ settings }: Workspace): Promise<Pick<ContainerLimits, 'StorageOpt'>> {
    const { diskMb } = settings.reservation ?? {};
    if (!diskMb || (await this.deps.engine.diskObstacle()) !== null) return {};
    return { StorageOpt: { size: `${diskMb}m` } };
  }

  private async limits({ settings }: Workspace, { services }: ContainerPlan) {
    const limits = limitsOf(settings.reservation, await this.deps.engine.size());
    const count = services.plans.length;
    const divided = divideLimits(limits, count);
    if (divided) return divided;
    throw new DockerError(
      `${count} services need more memory than the ${limits.Memory / 2 ** 20} MB of the workspace. Use fewer services or a larger size`,
    );
  }

  /**
   * Restarts the existing container. Returns null when it is missing or on a network that is no
   * longer allowed.
   */
  async startAgain(
    workspace: Workspace,
    context: ProvisionContext,
  ): Promise<{ origin: ContainerOrigin; workDir: string } | null> {
    const name = dockerName(workspace.workspaceId);
    await this.deps.services.stop(workspace.workspaceId);
    await this.deps.engine.stopContainer(name, stopGraceSeconds);
    const currentNetwork = (await this.deps.engine.inspect(name))?.HostConfig.NetworkMode;
    if (currentNetwork !== (await this.deps.networks.ensure(workspace))) return null;
    if (!(await this.deps.engine.startContainer(name))) return null;
    await this.deps.sources.prepare(workspace, runMount);
    const container = await this.deps.engine.inspect(name);
    if (!container) return null;
    const { Labels, WorkingDir } = container.Config;
    await this.deps.engine.run(name, installGhWrapper(posix.join(runMount, ghPath)), '0');
    await this.deps.services.start(workspace.workspaceId, context);
    await this.startup(name, parseStartup(Labels[labels.startup]));
    const origin = origins.find((known) => known === Labels[labels.origin]) ?? 'default';
    return { origin, workDir: WorkingDir };
  }

  async stop(workspaceId: string): Promise<void> {
    await Promise.all([
      this.deps.services.stop(workspaceId),
      this.deps.engine.stopContainer(dockerName(workspaceId), stopGraceSeconds),
    ]);
  }

  /** Writes services that have exited during the start to the boot log. */
  async reportExited(workspaceId: string, context: ProvisionContext): Promise<void> {
    await this.deps.services.reportExited(workspaceId, context);
  }

  /** Removes the containers and keeps the volumes. */
  async remove(workspaceId: string): Promise<void> {
    await this.deps.services.remove(workspaceId);
    await this.deps.engine.removeContainer(dockerName(workspaceId));
  }

  private async startup(name: string, { user, commands }: Startup): Promise<void> {
    if (commands.length === 0) return;
    await this.deps.engine.runDetached(name, ['/bin/sh', '-c', commands.join('\n')], user);
  }
}

/** The engine refuses a mount of a folder that is missing. */
function existingFolder(path: string | null): string | null {
  return path !== null && existsSync(path) ? path : null;
}

function parseStartup(text: string | undefined): Startup {
  return parseLabel(StartupLabel, text) ?? { user: '', commands: [] };
}
