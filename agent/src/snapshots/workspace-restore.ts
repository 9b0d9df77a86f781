import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ObjectUrl } from '../../../protocol/object-url.js';
import type { RestorePlan, SnapshotProgress } from '../../../protocol/snapshot-callbacks.js';
import {
  type MissingPart,
  type SnapshotArtifactName,
  type SnapshotManifest,
  snapshotArtifacts,
} from '../../../protocol/snapshots.js';
import { AgentError } from '../errors.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import type { Log } from '../shared/log.js';
import { StreamLimit } from '../streams/byte-budget.js';
import { DiskBudget } from '../streams/disk-budget.js';
import type { Workspace } from '../workspaces/workspace.js';
import { ArchiveReader } from './archive.js';
import { asleepMarkerOf, clearAsleepMarker } from './asleep-marker.js';
import { restoreHome } from './home.js';
import { downloadObject } from './object-transfer.js';
import { reasonOf, restoreRepositories } from './restore-repositories.js';
import { tarBytes, WorkspaceShell } from './workspace-shell.js';

/** The plan of a snapshot that exists. */
export type AvailablePlan = Extract<RestorePlan, { readonly available: true }>;

export interface RestoreRequest {
  readonly workspace: Workspace;
  readonly plan: Pick<AvailablePlan, 'manifest' | 'download' | 'config'>;
  readonly onStep: (step: SnapshotProgress['step']) => void;
  readonly signal: AbortSignal;
}

export interface RestoredFiles {
  readonly missing: MissingPart[];
  /** Objects that could not be read. Another attempt may succeed. */
  readonly unread: readonly SnapshotArtifactName[];
}

const attempts = 3;
/** The longest path. */
const longNameBytes = 4_096;

/** Restores the home and the repositories of a snapshot. */
export class WorkspaceRestore {
  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly folder: string,
    private readonly log: Log,
  ) {}

  /** @throws AgentError when the snapshot is of another workspace */
  async run({ workspace, plan, onStep, signal }: RestoreRequest): Promise<RestoredFiles> {
    if (plan.manifest.workspaceId !== workspace.workspaceId)
      throw new AgentError('snapshot_failed', 'The snapshot is of another workspace');
    const shell = new WorkspaceShell(this.commands, workspace, signal);
    const { manifest } = plan;
    const marker = await asleepMarkerOf(shell);
    const folder = join(this.folder, randomUUID());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      // The workspace is on the node where it went to sleep, with all its files.
      if (marker === snapshotKey(manifest)) return { missing: [], unread: [] };
      return await new Restoration({ shell, plan, folder, onStep, log: this.log }).run();
    } finally {
      if (marker !== '') await clearAsleepMarker(shell);
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Identifies the content of a snapshot. */
export const snapshotKey = ({ artifacts }: SnapshotManifest): string =>
  `${artifacts.home?.sha256}/${artifacts.wip?.sha256}`;

interface RestorationDeps extends Pick<RestoreRequest, 'plan' | 'onStep'> {
  readonly shell: WorkspaceShell;
  readonly folder: string;
  readonly log: Log;
}

class Restoration {
  private readonly paths: Partial<Record<SnapshotArtifactName, string>> = {};
  private readonly archive: ArchiveReader;

  constructor(private readonly deps: RestorationDeps) {
    const { manifest, config } = deps.plan;
    this.archive = new ArchiveReader(this.paths, manifest.sections, unpackedBytes(config));
  }

  async run(): Promise<RestoredFiles> {
    const missing: MissingPart[] = [];
    const unread: SnapshotArtifactName[] = [];
    const downloads = this.downloads();
    try {
      for (const artifact of snapshotArtifacts) {
        this.deps.onStep(`${artifact}-restore`);
        const failure = await downloads[artifact];
        if (failure === null) missing.push(...(await this.unpack(artifact)));
        else missing.push({ part: partOf[artifact], path: null, reason: failure });
        if (failure !== null && this.deps.plan.manifest.artifacts[artifact]) unread.push(artifact);
      }
    } finally {
      // They write to the folder, which is deleted.
      await Promise.allSettled(Object.values(downloads));
    }
    const { workspaceId } = this.deps.shell.workspace;
    for (const part of missing)
      this.deps.log.warn('A part of a snapshot is not restored', { workspaceId, ...part });
    return { missing, unread };
  }

  /** One after the other, each while the one before is unpacked. */
  private downloads(): Record<SnapshotArtifactName, Promise<string | null>> {
    const home = this.download('home');
    const wip = home.then(() => this.download('wip'));
    // Nobody waits for it when the restore of the home is aborted.
    wip.catch(() => undefined);
    return { home, wip };
  }

  private unpack(artifact: SnapshotArtifactName): Promise<MissingPart[]> {
    return artifact === 'home' ? this.home() : this.work();
  }

  /** Null, or why the object cannot be used. Nothing is changed before its hash is verified. */
  private async download(artifact: SnapshotArtifactName): Promise<string | null> {
    const { plan, folder, shell } = this.deps;
    const object = plan.manifest.artifacts[artifact];
    const url = plan.download[artifact];
    if (!object || url === null) return 'Not in the snapshot';
    if (!ObjectUrl.safeParse(url).success) return 'The address of the object is not allowed';
    const path = join(folder, artifact);
    const { totalBudgetBytes: limitBytes, transferIdleTimeoutMs: idleMs } = plan.config;
    const limits = { limitBytes, idleMs, signal: shell.signal };
    const failure = await downloaded({ url, path, folder, ...object, ...limits });
    if (failure === null) this.paths[artifact] = path;
    return failure;
  }

  private async home(): Promise<MissingPart[]> {
    const { shell, plan } = this.deps;
    const { home } = plan.manifest;
    if (!home) return [{ part: 'home', path: null, reason: 'Not in the snapshot' }];
    try {
      await restoreHome(shell, this.archive, home.roots);
      return [];
    } catch (error) {
      shell.signal.throwIfAborted();
      return [{ part: 'home', path: null, reason: reasonOf(error) }];
    }
  }

  private async work(): Promise<MissingPart[]> {
    const { shell, plan } = this.deps;
    const { repositories } = plan.manifest;
    if (!repositories) return [{ part: 'work', path: null, reason: 'Not in the snapshot' }];
    const missing = await restoreRepositories(shell, this.archive, repositories);
    shell.signal.throwIfAborted();
    return missing;
  }
}

const partOf = { home: 'home', wip: 'work' } as const;

/** The most that a section unpacks to: files within the limits of a snapshot, with long names. */
const unpackedBytes = ({ totalBudgetBytes, maxEntries }: AvailablePlan['config']): number =>
  totalBudgetBytes + tarBytes({ entries: maxEntries, nameBytes: maxEntries * longNameBytes });

interface Download extends Omit<Parameters<typeof downloadObject>[0], 'disk'> {
  readonly sha256: string;
  readonly folder: string;
  readonly limitBytes: number;
}

/** Null when the object has the expected hash. */
async function downloaded({ sha256, folder, limitBytes, ...download }: Download): Promise<string | null> {
  const source = 'The object of the snapshot';
  let failure = 'The object differs from its manifest (hash mismatch)';
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      const disk = await DiskBudget.open({ folder, limitBytes, source });
      if ((await downloadObject({ ...download, disk })) === sha256) return null;
    } catch (error) {
      download.signal.throwIfAborted();
      if (error instanceof StreamLimit) return reasonOf(error);
      failure = reasonOf(error);
    }
  }
  return failure;
}
