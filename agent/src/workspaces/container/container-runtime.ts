import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskBytes } from '../../streams/disk-budget.js';
import type { BuildArtifacts } from '../devcontainer/build-artifacts.js';
import type { BuildCache } from '../devcontainer/build-cache.js';
import {
  type ProvisionContext,
  type ProvisionOutcome,
  type RuntimeListener,
  reportCloneNotes,
  type ShellOptions,
  type WorkspaceFiles,
  type WorkspaceRuntime,
} from '../runtime.js';
import { cloneText, type Workspace } from '../workspace.js';
import type { WorkspaceSources } from '../workspace-sources.js';
import type { ContainerLifecycle } from './container-lifecycle.js';
import type { ContainerMetrics } from './container-metrics.js';
import type { ContainerProvisioner } from './container-provisioner.js';
import { type ContainerOrigin, workDirOf } from './container-settings.js';
import type { ContainerShells } from './container-shells.js';
import type { ContainerWatch } from './container-watch.js';
import type { DockerEngine } from './docker-engine.js';
import { DockerError } from './docker-errors.js';
import { dockerName, labelsOf, runMount } from './docker-names.js';
import { type CopiedFolder, hasFolder, readVolume } from './read-volume.js';
import { harnessMarker, signalMarkedProcesses } from './signal-marked.js';
import type { WorkspaceNetworks } from './workspace-networks.js';

const maxAttempts = 3;

interface ContainerOptions {
  readonly nodeId: string;
  readonly clonesDir: string;
}

export interface ContainerRuntimeDeps {
  readonly engine: DockerEngine;
  readonly shells: ContainerShells;
  readonly sources: WorkspaceSources;
  readonly networks: WorkspaceNetworks;
  readonly artifacts: BuildArtifacts;
  readonly cache: BuildCache;
  readonly lifecycle: ContainerLifecycle;
  readonly provisioner: ContainerProvisioner;
  readonly watch: ContainerWatch;
  readonly metrics: ContainerMetrics;
}

/** Runs workspaces as containers. The volume of each outlives its container. */
export class ContainerRuntime implements WorkspaceRuntime {
  constructor(
    private readonly options: ContainerOptions,
    private readonly deps: ContainerRuntimeDeps,
  ) {}

  provision(workspace: Workspace, context: ProvisionContext): Promise<ProvisionOutcome> {
    return this.retryWhenEngineRestarts(context.signal, () => this.provisionOnce(workspace, context));
  }

  restartOrRebuild(workspace: Workspace, context: ProvisionContext): Promise<ProvisionOutcome> {
    return this.retryWhenEngineRestarts(context.signal, () => this.restartOrRebuildOnce(workspace, context));
  }

  /** A Docker engine that restarts is no failure of the workspace: try again. */
  private async retryWhenEngineRestarts<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      await this.deps.engine.waitUntilAvailable(signal);
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (attempt === maxAttempts || !(await this.deps.engine.isUnavailable(error, signal))) throw error;
      }
    }
  }

  private async provisionOnce(workspace: Workspace, context: ProvisionContext): Promise<ProvisionOutcome> {
    const { workspaceId, generation } = workspace;
    const { step, signal } = context;
    const { engine, sources, provisioner } = this.deps;
    const folder = this.cloneDir(workspaceId);
    await this.remove(workspaceId);
    await step('volume_create', 'Creating volume', async () => {
      const objectLabels = labelsOf({ workspaceId, nodeId: this.options.nodeId, generation });
      await engine.createVolume(
        dockerName(workspaceId),
        objectLabels,
        await this.diskLimit(workspace, context),
      );
      await sources.prepare(workspace, runMount);
    });
    try {
      const cloned = await step('git_clone', cloneText(workspace), async () => {
        await mkdir(this.options.clonesDir, { recursive: true, mode: 0o700 });
        return sources.fetch(workspace, { folder, filter: null, signal, onOutput: context.output });
      });
      reportCloneNotes(cloned, context);
      return outcomeOf(await provisioner.create(workspace, { repository: folder, isNew: true }, context));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** In megabytes; undefined without a reservation, and where the engine cannot limit disk. */
  private async diskLimit(
    { settings }: Workspace,
    { report }: ProvisionContext,
  ): Promise<number | undefined> {
    const { diskMb } = settings.reservation ?? {};
    if (!diskMb) return undefined;
    const obstacle = await this.deps.engine.diskObstacle();
    if (obstacle === null) return diskMb;
    report({
      step: 'disk_limit',
      status: 'completed',
      message: `The disk of the workspace is not limited to ${diskMb} MB: ${obstacle}`,
    });
    return undefined;
  }

  private async restartOrRebuildOnce(
    workspace: Workspace,
    context: ProvisionContext,
  ): Promise<ProvisionOutcome> {
    const { provisioner, lifecycle, cache } = this.deps;
    await cache.end(workspace.workspaceId);
    if (workspace.provisionKind === 'restart') {
      const again = await context.step('container_start', 'Restarting container', () =>
        lifecycle.startAgain(workspace, context),
      );
      if (again?.origin === 'own') await provisioner.runCommands(workspace, again.workDir, context);
      if (again) return outcomeOf(again.origin);
    }
    return this.rebuild(workspace, context);
  }

  async resume(workspace: Workspace): Promise<boolean> {
    const { sources, shells, engine } = this.deps;
    const name = dockerName(workspace.workspaceId);
    if (!(await this.runs(workspace))) return false;
    await sources.prepare(workspace, runMount);
    await shells.endAll(name);
    // Coding agents of the previous agent process have lost their connection.
    await engine.runAsAll(name, signalMarkedProcesses('KILL', `^${harnessMarker}=`));
    return true;
  }

  async runs({ workspaceId }: Workspace): Promise<boolean> {
    return (await this.deps.engine.inspect(dockerName(workspaceId)))?.State.Running === true;
  }

  watch(listener: RuntimeListener): void {
    this.deps.watch.begin(listener);
  }

  async stop(workspaceId: string): Promise<void> {
    await this.deps.cache.end(workspaceId);
    await this.deps.lifecycle.stop(workspaceId);
  }

  async remove(workspaceId: string): Promise<void> {
    const { engine, sources, networks, artifacts, cache } = this.deps;
    await cache.end(workspaceId);
    for (const name of await engine.containersOf(workspaceId)) await engine.removeContainer(name);
    await networks.remove(workspaceId);
    for (const name of await engine.volumesOf(workspaceId)) await engine.removeVolume(name);
    await artifacts.remove(workspaceId);
    await sources.remove(workspaceId);
    await rm(this.cloneDir(workspaceId), { recursive: true, force: true, maxRetries: 3 });
  }

  found(): Promise<readonly string[]> {
    return this.deps.engine.workspacesOf(this.options.nodeId);
  }

  foundGeneration(workspaceId: string): Promise<number | null> {
    return this.deps.engine.generationOf(workspaceId);
  }

  async hasFiles(workspace: WorkspaceFiles): Promise<boolean> {
    const { engine } = this.deps;
    const volume = dockerName(workspace.workspaceId);
    if (!(await engine.hasVolume(volume))) return false;
    const objectLabels = labelsOf({ ...workspace, nodeId: this.options.nodeId, generation: 0 });
    return hasFolder(engine, { volume, from: workDirOf(workspace), objectLabels });
  }

  async openPty(workspace: Workspace, { terminalId, size, workDir, variables }: ShellOptions) {
    const { engine, shells } = this.deps;
    const container = dockerName(workspace.workspaceId);
    const ownDir = async () => (await engine.inspect(container))?.Config.WorkingDir || workDirOf(workspace);
    const workingDirectory = workDir ?? (await ownDir());
    const options = { container, terminalId, workDir: workingDirectory, size, variables };
    const pty = await shells.open(options);
    return { pty, workingDirectory };
  }

  measure() {
    return this.deps.metrics.measure(this.options.nodeId);
  }

  /** Containers outlive the agent. */
  async shutdown(): Promise<void> {
    await this.deps.watch[Symbol.asyncDispose]();
    await this.deps.cache[Symbol.asyncDispose]();
  }

  /**
   * Creates a new container around the existing files, from the current dev container
   * configuration.
   */
  private async rebuild(workspace: Workspace, context: ProvisionContext): Promise<ProvisionOutcome> {
    const { engine, provisioner, lifecycle } = this.deps;
    const { workspaceId } = workspace;
    const volume = dockerName(workspaceId);
    // Docker would create a missing volume, and the workspace would be empty.
    if (!(await engine.hasVolume(volume)))
      throw new DockerError('The files of the workspace no longer exist');
    // The files must not change while they are read.
    await lifecycle.remove(workspaceId);
    const folder = this.cloneDir(workspaceId);
    try {
      const copied = await this.copyOut(workspace, folder);
      return outcomeOf(await provisioner.create(workspace, { ...copied, isNew: false }, context));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Without a repository when its folder no longer exists or is too large. */
  private async copyOut(workspace: Workspace, folder: string): Promise<CopiedFolder> {
    const { workspaceId, generation, settings } = workspace;
    if (settings.lightweight) return { repository: null };
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const objectLabels = labelsOf({ workspaceId, nodeId: this.options.nodeId, generation });
    const volume = { volume: dockerName(workspaceId), objectLabels };
    const copied = { from: workDirOf(workspace), to: folder, limitBytes: diskBytes(settings.reservation) };
    return readVolume(this.deps.engine, { ...volume, ...copied });
  }

  /** Named after the workspace: the dev container tool names images after this folder. */
  private cloneDir(workspaceId: string): string {
    return join(this.options.clonesDir, workspaceId);
  }
}

function outcomeOf(origin: ContainerOrigin): ProvisionOutcome {
  return origin === 'fallback' ? 'recovering' : 'running';
}
