import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Ulid } from '../../../protocol/ids.js';
import { removeFolder } from '../files/local-disk.js';
import { openLocalPty } from '../terminals/local-pty.js';
import { endWorkspaceProcesses } from './marked-processes.js';
import type { PlatformVariables } from './platform-variables.js';
import {
  type ProvisionContext,
  type ProvisionOutcome,
  reportCloneNotes,
  type ShellOptions,
  type WorkspaceFiles,
  type WorkspaceRuntime,
} from './runtime.js';
import { findShell, shellEnvironment } from './standalone-runner.js';
import { cloneText, repositoryFolder, type Workspace } from './workspace.js';
import type { WorkspaceSources } from './workspace-sources.js';

interface StandaloneOptions {
  readonly variables: PlatformVariables;
  readonly baseDir: string;
  readonly cloneFilter: string | null;
}

/**
 * Runs workspaces as private folders and processes of this machine. They share its user, network
 * and file system: this organizes workspaces and does not isolate them.
 */
export class StandaloneRuntime implements WorkspaceRuntime {
  constructor(
    private readonly options: StandaloneOptions,
    private readonly sources: WorkspaceSources,
  ) {}

  async provision(workspace: Workspace, context: ProvisionContext): Promise<ProvisionOutcome> {
    const { step, signal } = context;
    const { workspaceId } = workspace;
    await this.remove(workspaceId);
    await step(
      'workspace_directory',
      'Creating private directory on this machine (no container)',
      async () => {
        await mkdir(join(this.root(workspaceId), 'home'), { recursive: true, mode: 0o700 });
        await this.sources.prepare(workspace, this.sources.runFolder(workspaceId));
      },
    );
    const cloned = await step('git_clone', cloneText(workspace), () =>
      this.sources.fetch(workspace, {
        folder: this.workDir(workspace),
        filter: this.options.cloneFilter,
        signal,
        onOutput: context.output,
      }),
    );
    reportCloneNotes(cloned, context);
    return 'running';
  }

  /** There is no image: a rebuild is a restart. */
  async restartOrRebuild(workspace: Workspace, { step }: ProvisionContext): Promise<ProvisionOutcome> {
    await step('workspace_directory', 'Ending all processes and reopening the directory', async () => {
      if (!(await this.resume(workspace))) throw new Error('The files of the workspace no longer exist');
    });
    return 'running';
  }

  async resume(workspace: Workspace): Promise<boolean> {
    // Shells of the previous agent process have lost their terminals.
    await endWorkspaceProcesses(this.root(workspace.workspaceId));
    if (!(await this.runs(workspace))) return false;
    await this.sources.prepare(workspace, this.sources.runFolder(workspace.workspaceId));
    return true;
  }

  /** A standalone workspace runs when its files exist. */
  runs(workspace: Workspace): Promise<boolean> {
    return this.hasFiles(workspace);
  }

  async hasFiles(workspace: WorkspaceFiles): Promise<boolean> {
    const folder = await stat(this.workDir(workspace)).catch(() => null);
    return folder?.isDirectory() === true;
  }

  watch(): void {}

  async stop(workspaceId: string): Promise<void> {
    await endWorkspaceProcesses(this.root(workspaceId));
  }

  async remove(workspaceId: string): Promise<void> {
    await endWorkspaceProcesses(this.root(workspaceId));
    await this.sources.remove(workspaceId);
    await removeFolder(this.root(workspaceId));
  }

  async found(): Promise<readonly string[]> {
    const names = await readdir(this.options.baseDir).catch(() => []);
    return names.filter((name) => Ulid.safeParse(name).success);
  }

  /** Folders have no label. */
  async foundGeneration(): Promise<null> {
    return null;
  }

  async openPty(workspace: Workspace, { terminalId, size, workDir, variables }: ShellOptions) {
    const { workspaceId } = workspace;
    const workingDirectory = workDir ?? this.workDir(workspace);
    const env = shellEnvironment({
      workspaceId,
      home: join(this.root(workspaceId), 'home'),
      gitSettings: join(this.sources.runFolder(workspaceId), 'gitconfig'),
      extra: {
        ...variables,
        ...this.options.variables(workspace),
        SVC_TERMINAL: terminalId,
      },
    });
    const pty = openLocalPty({ file: findShell(), args: ['-l'], cwd: workingDirectory, env, size });
    return { pty, workingDirectory };
  }

  /** Processes cannot be measured per workspace here. */
  async measure() {
    return [];
  }

  /** The processes are children of the agent and end with it. */
  async shutdown(): Promise<void> {
    await Promise.all(
      (await this.found()).map((workspaceId) => endWorkspaceProcesses(this.root(workspaceId))),
    );
  }

  private root(workspaceId: string): string {
    return join(this.options.baseDir, workspaceId);
  }

  private workDir(workspace: WorkspaceFiles): string {
    return join(this.root(workspace.workspaceId), 'work', repositoryFolder(workspace.settings));
  }
}
