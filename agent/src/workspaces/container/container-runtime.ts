import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reportNotes } from '../report-notes.js';
import type {
  Outcome,
  ProvisionContext,
  RuntimeListener,
  ShellOptions,
  WorkspaceRuntime,
} from '../runtime.js';
import { cloneText, type Workspace } from '../workspace.js';
import type { WorkspaceSources } from '../workspace-sources.js';
import type { ContainerMaker } from './container-maker.js';
import { ContainerMetrics } from './container-metrics.js';
import type { ContainerOrigin } from './container-plan.js';
import { workDirOf } from './container-settings.js';
import type { ContainerShells } from './container-shells.js';
import type { ContainerStarts } from './container-starts.js';
import type { ContainerWatch } from './container-watch.js';
import type { DockerEngine } from './docker-engine.js';
import { DockerFailed } from './docker-failed.js';
import { dockerName, labelsOf, runMount } from './docker-names.js';
import { readVolume } from './read-volume.js';
import { harnessMark, signalMarked } from './signal-marked.js';

const maxAttempts = 3;

export interface ContainerOptions {
  readonly nodeId: string;
  readonly clonesDir: string;
}

export interface ContainerParts {
  readonly engine: DockerEngine;
  readonly shells: ContainerShells;
  readonly sources: WorkspaceSources;
  readonly starts: ContainerStarts;
  readonly maker: ContainerMaker;
  readonly watch: ContainerWatch;
}

/** Workspaces as containers, each with a volume that outlives its container. */
export class ContainerRuntime implements WorkspaceRuntime {
  private readonly metrics: ContainerMetrics;

  constructor(
    private readonly options: ContainerOptions,
    private readonly parts: ContainerParts,
  ) {
    this.metrics = new ContainerMetrics(parts.engine);
  }

  provision(workspace: Workspace, context: ProvisionContext): Promise<Outcome> {
    return this.overRestarts(context.signal, () => this.provisionOnce(workspace, context));
  }

  remake(workspace: Workspace, context: ProvisionContext): Promise<Outcome> {
    return this.overRestarts(context.signal, () => this.remakeOnce(workspace, context));
  }

  /** A Docker engine that is started anew is no failure of the workspace. */
  private async overRestarts<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      await this.parts.engine.untilAnswers(signal);
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (attempt === maxAttempts || !(await this.parts.engine.wentAway(error, signal))) throw error;
      }
    }
  }

  private async provisionOnce(workspace: Workspace, context: ProvisionContext): Promise<Outcome> {
    const { workspaceId, generation } = workspace;
    const { step, signal } = context;
    const { engine, sources, maker } = this.parts;
    const folder = this.cloneDir(workspaceId);
    await this.remove(workspaceId);
    await step('volume_create', 'Making the volume', async () => {
      const marks = labelsOf({ workspaceId, nodeId: this.options.nodeId, generation });
      await engine.createVolume(dockerName(workspaceId), marks);
      await sources.prepare(workspace, runMount);
    });
    try {
      const cloned = await step('git_clone', cloneText(workspace), async () => {
        await mkdir(this.options.clonesDir, { recursive: true, mode: 0o700 });
        return sources.fetch(workspace, { folder, filter: null, signal });
      });
      reportNotes(cloned, context);
      return outcomeOf(await maker.make(workspace, { repository: folder, isNew: true }, context));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  private async remakeOnce(workspace: Workspace, context: ProvisionContext): Promise<Outcome> {
    const { maker, starts } = this.parts;
    await maker.parts.pushes.end(workspace.workspaceId);
    if (workspace.making === 'restart') {
      const again = await context.step('container_start', 'Starting the container again', () =>
        starts.startAgain(workspace),
      );
      if (again?.origin === 'own') await maker.runCommands(workspace, again.workDir, context);
      if (again) return outcomeOf(again.origin);
    }
    return this.rebuild(workspace, context);
  }

  async resume(workspace: Workspace): Promise<boolean> {
    const { sources, shells, engine } = this.parts;
    const name = dockerName(workspace.workspaceId);
    if (!(await this.runs(workspace))) return false;
    await sources.prepare(workspace, runMount);
    await shells.endAll(name);
    // Coding agents have lost whom they worked for.
    await engine.runAsAll(name, signalMarked('KILL', `^${harnessMark}=`));
    return true;
  }

  async runs({ workspaceId }: Workspace): Promise<boolean> {
    return (await this.parts.engine.inspect(dockerName(workspaceId)))?.State.Running === true;
  }

  watch(listener: RuntimeListener): void {
    this.parts.watch.begin(listener);
  }

  async stop(workspaceId: string): Promise<void> {
    await this.parts.maker.parts.pushes.end(workspaceId);
    await this.parts.starts.stop(workspaceId);
  }

  async remove(workspaceId: string): Promise<void> {
    const { engine, sources, starts, maker } = this.parts;
    await maker.parts.pushes.end(workspaceId);
    for (const name of await engine.containersOf(workspaceId)) await engine.removeContainer(name);
    await starts.networks.remove(workspaceId);
    for (const name of await engine.volumesOf(workspaceId)) await engine.removeVolume(name);
    await maker.parts.builds.remains.remove(workspaceId);
    await sources.remove(workspaceId);
    await rm(this.cloneDir(workspaceId), { recursive: true, force: true, maxRetries: 3 });
  }

  found(): Promise<readonly string[]> {
    return this.parts.engine.workspacesOf(this.options.nodeId);
  }

  async openPty(workspace: Workspace, { terminalId, size, workDir }: ShellOptions) {
    const { engine, shells } = this.parts;
    const container = dockerName(workspace.workspaceId);
    const ownDir = async () => (await engine.inspect(container))?.Config.WorkingDir || workDirOf(workspace);
    const workingDirectory = workDir ?? (await ownDir());
    const pty = await shells.open({ container, terminalId, workDir: workingDirectory, size });
    return { pty, workingDirectory };
  }

  measure() {
    return this.metrics.measure(this.options.nodeId);
  }

  /** Containers outlive the agent. */
  async shutdown(): Promise<void> {
    await this.parts.watch[Symbol.asyncDispose]();
    await this.parts.maker.parts.pushes[Symbol.asyncDispose]();
  }

  /** A new container around the files, as the repository wants it by now. */
  private async rebuild(workspace: Workspace, context: ProvisionContext): Promise<Outcome> {
    const { engine, maker } = this.parts;
    const { workspaceId } = workspace;
    const volume = dockerName(workspaceId);
    // Docker would make a missing volume, and people would find an empty workspace.
    if (!(await engine.hasVolume(volume))) throw new DockerFailed('The files of the workspace are gone');
    // Nothing may change the files while they are read.
    await engine.removeContainer(volume);
    const folder = this.cloneDir(workspaceId);
    try {
      const repository = await this.copyOut(workspace, folder);
      return outcomeOf(await maker.make(workspace, { repository, isNew: false }, context));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Null when the workspace has no repository's folder any more. */
  private async copyOut(workspace: Workspace, folder: string): Promise<string | null> {
    const { workspaceId, generation, settings } = workspace;
    if (settings.lightweight) return null;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const marks = labelsOf({ workspaceId, nodeId: this.options.nodeId, generation });
    const place = { volume: dockerName(workspaceId), from: workDirOf(workspace), to: folder, marks };
    return (await readVolume(this.parts.engine, place)) ? folder : null;
  }

  /** Named after the workspace: the tool names images after it. */
  private cloneDir(workspaceId: string): string {
    return join(this.options.clonesDir, workspaceId);
  }
}

function outcomeOf(origin: ContainerOrigin): Outcome {
  return origin === 'fallback' ? 'recovering' : 'running';
}
