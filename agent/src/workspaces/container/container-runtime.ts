import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenPty } from '../../terminals/pty.js';
import type { ProvisionContext, WorkspaceRuntime } from '../runtime.js';
import { cloneText, type Workspace } from '../workspace.js';
import type { WorkspaceSources } from '../workspace-sources.js';
import { ContainerMetrics } from './container-metrics.js';
import { containerSettings, workDirOf } from './container-settings.js';
import type { ContainerShells } from './container-shells.js';
import { type DockerEngine, DockerFailed } from './docker-engine.js';
import { dockerName, labelsOf, runMount } from './docker-names.js';

const stopGraceSeconds = 10;

export interface ContainerOptions {
  readonly nodeId: string;
  readonly defaultImage: string;
  readonly network: string;
  readonly clonesDir: string;
}

/** Workspaces as containers, each with a volume that outlives its container. */
export class ContainerRuntime implements WorkspaceRuntime {
  private readonly metrics: ContainerMetrics;

  constructor(
    private readonly options: ContainerOptions,
    private readonly engine: DockerEngine,
    private readonly shells: ContainerShells,
    private readonly sources: WorkspaceSources,
  ) {
    this.metrics = new ContainerMetrics(engine);
  }

  async provision(workspace: Workspace, { step, signal }: ProvisionContext): Promise<void> {
    const { workspaceId, generation } = workspace;
    const { nodeId } = this.options;
    const image = workspace.settings.image ?? this.options.defaultImage;
    await this.remove(workspaceId);
    await step('volume_create', 'Making the volume', async () => {
      await this.engine.check();
      await this.engine.docker.createVolume({
        Name: dockerName(workspaceId),
        Labels: labelsOf({ workspaceId, nodeId, generation }),
      });
      await this.sources.prepare(workspace, runMount);
    });
    await step('git_clone', cloneText(workspace), async () => {
      await mkdir(this.options.clonesDir, { recursive: true, mode: 0o700 });
      await this.sources.fetch(workspace, { folder: this.cloneDir(workspaceId), filter: null, signal });
    });
    await step('container_start', `Starting the container from ${image}`, async () => {
      await this.engine.ensureImage(image, signal);
      await this.start(workspace, image);
    });
    await rm(this.cloneDir(workspaceId), { recursive: true, force: true });
  }

  async remake(workspace: Workspace, { step, signal }: ProvisionContext): Promise<void> {
    const name = dockerName(workspace.workspaceId);
    await this.engine.check();
    if (workspace.making === 'restart') {
      const isBack = await step('container_start', 'Starting the container again', async () => {
        await this.engine.stopContainer(name, stopGraceSeconds);
        return this.resume(workspace);
      });
      if (isBack) return;
    }
    const image = workspace.settings.image ?? this.options.defaultImage;
    await step('container_start', `Starting a new container from ${image}`, async () => {
      // Docker would make a missing volume, and people would find an empty workspace.
      if (!(await this.engine.hasVolume(name))) throw new DockerFailed('The files of the workspace are gone');
      await this.engine.ensureImage(image, signal);
      await this.engine.removeContainer(name);
      await this.sources.prepare(workspace, runMount);
      await this.startContainer(workspace, image);
    });
  }

  async resume(workspace: Workspace): Promise<boolean> {
    const name = dockerName(workspace.workspaceId);
    if (!(await this.engine.startContainer(name))) return false;
    await this.sources.prepare(workspace, runMount);
    await this.shells.endAll(name);
    return true;
  }

  async stop(workspaceId: string): Promise<void> {
    await this.engine.stopContainer(dockerName(workspaceId), stopGraceSeconds);
  }

  async remove(workspaceId: string): Promise<void> {
    await this.engine.removeContainer(dockerName(workspaceId));
    await this.engine.removeVolume(dockerName(workspaceId));
    await this.sources.remove(workspaceId);
    await rm(this.cloneDir(workspaceId), { recursive: true, force: true });
  }

  found(): Promise<readonly string[]> {
    return this.engine.workspacesOf(this.options.nodeId);
  }

  async openPty(workspace: Workspace, { terminalId, size }: Parameters<OpenPty>[0]) {
    const workingDirectory = workDirOf(workspace);
    const container = dockerName(workspace.workspaceId);
    const pty = await this.shells.open({ container, terminalId, workDir: workingDirectory, size });
    return { pty, workingDirectory };
  }

  measure() {
    return this.metrics.measure(this.options.nodeId);
  }

  /** Containers outlive the agent. */
  async shutdown(): Promise<void> {}

  private async start(workspace: Workspace, image: string): Promise<void> {
    const { workspaceId } = workspace;
    const container = await this.startContainer(workspace, image);
    const name = dockerName(workspaceId);
    await this.engine.copyFolder(name, { from: this.cloneDir(workspaceId), to: workDirOf(workspace) });
    const { User: user } = (await container.inspect()).Config;
    // The image's own user works with the files; without one it is root, whom they belong to already.
    if (user) await this.engine.run(name, ['chown', '-R', user, '/workspaces'], '0');
  }

  private async startContainer(workspace: Workspace, image: string) {
    const { nodeId, network } = this.options;
    const runFolder = this.sources.runFolder(workspace.workspaceId);
    const settings = containerSettings(workspace, { nodeId, image, network, runFolder });
    const container = await this.engine.docker.createContainer(settings);
    await container.start();
    return container;
  }

  private cloneDir(workspaceId: string): string {
    return join(this.options.clonesDir, workspaceId);
  }
}
