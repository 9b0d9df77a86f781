import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CallbackRefused } from '../control-plane/callback-errors.js';
import { type CloneResult, cloneMarker, cloneRepository, GitFailed, initRepository } from '../git/clone.js';
import type { CredentialServer } from '../git/credential-server.js';
import { ghPath, ghWrapper } from '../git/gh-wrapper.js';
import { gitSettingsText } from '../git/git-settings.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { diskBytes } from '../streams/disk-budget.js';
import { type LoopbackAlias, swapFor } from './loopback-alias.js';
import { endMarkedProcesses } from './marked-processes.js';
import { hasRepository, type Workspace } from './workspace.js';

interface WorkspaceSourcesOptions {
  readonly loopbackAlias?: LoopbackAlias;
  /** Null in the standalone role, where workspaces run as the agent's user. */
  readonly sandbox?: Sandbox | null;
}

/** Fetches the repository of a workspace, and provides its git settings and credentials. */
export class WorkspaceSources {
  constructor(
    private readonly runDir: string,
    private readonly credentials: CredentialServer,
    private readonly options: WorkspaceSourcesOptions = {},
  ) {}

  /** The folder that is mounted into the workspace: git settings and credential socket. */
  runFolder(workspaceId: string): string {
    return join(this.runDir, workspaceId);
  }

  /**
   * Opens the credential socket and writes the git settings that point to it.
   * @param seenAt path of the run folder in the workspace
   */
  async prepare(workspace: Workspace, seenAt: string): Promise<void> {
    const folder = this.runFolder(workspace.workspaceId);
    await mkdir(this.runDir, { recursive: true, mode: 0o700 });
    await mkdir(folder, { recursive: true });
    // Readable for every user of the workspace, independent of the agent's umask.
    await chmod(folder, 0o755);
    const text = gitSettingsText({
      socketPath: join(seenAt, 'git.sock'),
      userName: workspace.settings.gitUserName,
      userEmail: workspace.settings.gitUserEmail,
      swap: swapFor(workspace.settings.cloneUrl, this.options.loopbackAlias ?? null),
    });
    await writeFile(join(folder, 'gitconfig'), text);
    await chmod(join(folder, 'gitconfig'), 0o644);
    await this.writeGh(folder, join(seenAt, 'git.sock'));
    await this.credentials.open(workspace.workspaceId, folder);
  }

  /** A rename replaces it whole: a running shell may be reading the present one. */
  private async writeGh(folder: string, socketPath: string): Promise<void> {
    const file = join(folder, ghPath);
    await mkdir(dirname(file), { recursive: true });
    await chmod(dirname(file), 0o755);
    await writeFile(`${file}.new`, ghWrapper(socketPath));
    await chmod(`${file}.new`, 0o755);
    await rename(`${file}.new`, file);
  }

  /** Clones the repository, or creates an empty one, in `folder`. */
  async fetch(workspace: Workspace, options: FetchOptions): Promise<CloneResult> {
    const { workspaceId, settings } = workspace;
    // Other nodes of a laptop can have the workspace too, in another folder.
    const marker = this.runFolder(workspaceId);
    if (!hasRepository(settings)) {
      await initRepository({ ...options, marker, branch: settings.branch });
      return { notes: [] };
    }
    const { cloneUrl } = await this.credentials.token(workspaceId).catch((cause: unknown) => {
      const { message } = cause instanceof Error ? cause : new Error(String(cause));
      const reason = (cause instanceof CallbackRefused && cause.reason) || message;
      throw new GitFailed(`No access to the repository: ${reason}`, { cause });
    });
    const { sandbox, notes } = await this.sandboxOrNotes();
    const cloned = await cloneRepository({
      ...options,
      sandbox,
      marker,
      cloneUrl: settings.cloneUrl ?? cloneUrl,
      branch: settings.branch,
      bases: settings.baseBranch ? [settings.baseBranch] : [settings.defaultBranch ?? null, null],
      socketPath: join(this.runFolder(workspaceId), 'git.sock'),
      limitBytes: diskBytes(settings.reservation),
    });
    return { notes: [...notes, ...cloned.notes] };
  }

  private async sandboxOrNotes(): Promise<{ sandbox: Sandbox | null; notes: readonly string[] }> {
    const { sandbox = null } = this.options;
    const reason = (await sandbox?.unavailable()) ?? null;
    if (reason === null) return { sandbox, notes: [] };
    if (sandbox?.isRequired) throw new GitFailed(`This node requires a sandbox for clones: ${reason}`);
    return { sandbox: null, notes: [`Cloned without a sandbox: ${reason}`] };
  }

  /**
   * Before the files are removed: a clone that outlived a previous agent process would remove the
   * folder of the next clone when it fails.
   */
  async remove(workspaceId: string): Promise<void> {
    await endMarkedProcesses({ name: cloneMarker, value: this.runFolder(workspaceId) });
    await this.credentials.close(workspaceId);
    await rm(this.runFolder(workspaceId), { recursive: true, force: true });
  }
}

interface FetchOptions {
  readonly folder: string;
  readonly filter: string | null;
  readonly signal: AbortSignal;
  /** Receives the messages of git as they arrive. */
  readonly onOutput: (text: string) => void;
}
