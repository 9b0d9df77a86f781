import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentType } from '../../../protocol/agent-sessions.js';
import {
  type Degradation,
  defaultSnapshotLimits,
  type HibernateAgentSession,
  type HibernateAnswer,
  type MissingPart,
  maxNamedSkips,
  type RestoreAgentSession,
  type SnapshotLimits,
  type SnapshotManifest,
  type SnapshotRepository,
} from '../../../protocol/snapshots.js';
import { AgentError } from '../errors.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import type { Log } from '../shared/log.js';
import type { Workspace } from '../workspaces/workspace.js';
import { ArchiveReader, ArchiveWriter } from './archive.js';
import { captureRepositories } from './capture-repositories.js';
import { statusOf } from './capture-tree.js';
import { captureHome, restoreHome } from './home.js';
import { downloadObject, TransferError, uploadObject } from './object-transfer.js';
import { reasonOf, restoreRepositories } from './restore-repositories.js';
import { SnapshotBudget } from './snapshot-budget.js';
import { WorkspaceShell } from './workspace-shell.js';

/** Files may change during the capture, which is then repeated. */
const maxAttempts = 3;

/** The session that a snapshot describes. Contains no secrets. */
export interface SnapshotSubject {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly agentType: AgentType | null;
  readonly acpSessionId: string | null;
  readonly settings: Readonly<Record<string, string | null>>;
  readonly lastSequence: number;
  /** True while a prompt is in flight. */
  readonly isPrompting: () => boolean;
}

/** Captures the home and the repositories of a session, and restores them on another node. */
export class SessionSnapshots {
  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly options: { readonly folder: string; readonly timeoutMs: number },
    private readonly log: Log,
  ) {}

  /** Deletes temporary files of an earlier run of the agent. */
  async start(): Promise<void> {
    await rm(this.options.folder, { recursive: true, force: true });
  }

  /** Captures, uploads and verifies a snapshot. The session goes on. @throws AgentError */
  async hibernate(subject: SnapshotSubject, request: HibernateAgentSession): Promise<HibernateAnswer> {
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    return this.withFile(async (path) => {
      const manifest = await this.capture(subject, request, path);
      const { sizeBytes, sha256 } = manifest.archive;
      const { uploadUrl: url, uploadHeaders: headers = {}, verifyUrl } = request;
      const body = createReadStream(path);
      await withTransferErrors(() => uploadObject({ body, sizeBytes, url, headers, signal }));
      if (verifyUrl) {
        const stored = await withTransferErrors(() =>
          downloadObject({ url: verifyUrl, path: null, sizeBytes, signal }),
        );
        if (stored !== sha256)
          throw new AgentError(
            'snapshot_failed',
            'Stored snapshot differs from the captured one (hash mismatch)',
          );
      }
      const { status, degradation } = manifest;
      return { status, degradation, verified: verifyUrl !== undefined, manifest };
    });
  }

  /** Restores the files. The caller loads the ACP session. */
  async restore(workspace: Workspace, request: RestoreAgentSession): Promise<MissingPart[]> {
    const { manifest, downloadUrl: url } = request;
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    return this.withFile(async (path) => {
      const { sizeBytes, sha256 } = manifest.archive;
      const hash = await withTransferErrors(() => downloadObject({ url, path, sizeBytes, signal }));
      if (hash !== sha256)
        throw new AgentError('snapshot_failed', 'Snapshot differs from its manifest (hash mismatch)');
      const shell = new WorkspaceShell(this.commands, workspace);
      const archive = new ArchiveReader(path, manifest);
      return [
        ...(await this.restoreHome(shell, archive, manifest)),
        ...(await this.restoreWork(shell, archive, manifest)),
      ];
    });
  }

  private async restoreHome(shell: WorkspaceShell, archive: ArchiveReader, { home }: SnapshotManifest) {
    if (!home) return [{ part: 'home' as const, path: null, reason: 'Not in the snapshot' }];
    try {
      await restoreHome(shell, archive, home.roots);
      return [];
    } catch (error) {
      this.log.warn('Could not restore the home', { workspaceId: shell.workspace.workspaceId, error });
      return [{ part: 'home' as const, path: null, reason: reasonOf(error) }];
    }
  }

  private async restoreWork(
    shell: WorkspaceShell,
    archive: ArchiveReader,
    { repositories }: SnapshotManifest,
  ) {
    if (!repositories) return [{ part: 'work' as const, path: null, reason: 'Not in the snapshot' }];
    const missing = await restoreRepositories(shell, archive, repositories);
    for (const { path, reason } of missing)
      this.log.warn('Could not restore a repository', {
        workspaceId: shell.workspace.workspaceId,
        path,
        reason,
      });
    return missing;
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a retry loop in which only unexpected errors are repeated
  private async capture(
    subject: SnapshotSubject,
    request: HibernateAgentSession,
    path: string,
  ): Promise<SnapshotManifest> {
    const shell = new WorkspaceShell(this.commands, subject.workspace);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await using archive = await ArchiveWriter.create(path);
        return await this.captureOnce(shell, subject, request, archive);
      } catch (error) {
        await rm(path, { force: true });
        if (error instanceof AgentError) throw error;
        this.log.warn('Could not capture a snapshot', {
          workspaceId: subject.workspace.workspaceId,
          attempt,
          error,
        });
        if (attempt === maxAttempts)
          throw new AgentError('snapshot_failed', `Workspace could not be captured: ${reasonOf(error)}`);
      }
    }
  }

  // biome-ignore lint/complexity/useMaxParams: four plain values that share no name
  private async captureOnce(
    shell: WorkspaceShell,
    subject: SnapshotSubject,
    { chatSessionId, limits }: HibernateAgentSession,
    archive: ArchiveWriter,
  ): Promise<SnapshotManifest> {
    const budget = new SnapshotBudget(within(limits));
    const wasPrompting = subject.isPrompting();
    // Work is captured first, so that a full budget does not exclude it.
    const repositories = await captureRepositories(shell, budget, archive);
    const home = await captureHome(shell, budget, archive);
    await assertUnchanged(shell, repositories);
    const { skipped } = budget;
    const degradation = degradationOf(subject, skipped.length);
    return {
      version: 1,
      chatSessionId,
      workspaceId: subject.workspace.workspaceId,
      agentSessionId: subject.sessionId,
      agentType: subject.agentType,
      acpSessionId: subject.acpSessionId,
      settings: subject.settings,
      lastSequence: subject.lastSequence,
      isPrompting: wasPrompting || subject.isPrompting(),
      createdAt: new Date().toISOString(),
      status: degradation === 'none' ? 'available' : 'degraded',
      degradation,
      skipped: skipped.slice(0, maxNamedSkips),
      skippedCount: skipped.length,
      archive: archive.finish(),
      sections: archive.sections,
      repositories,
      home: { entries: home.entries, roots: [...home.roots] },
    };
  }

  private async withFile<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
    await mkdir(this.options.folder, { recursive: true, mode: 0o700 });
    const path = join(this.options.folder, randomUUID());
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}

function within({ totalBytes, entryBytes, entries }: SnapshotLimits = {}) {
  return {
    totalBytes: totalBytes ?? defaultSnapshotLimits.totalBytes,
    entryBytes: entryBytes ?? defaultSnapshotLimits.entryBytes,
    entries: entries ?? defaultSnapshotLimits.entries,
  };
}

/** @throws when somebody changed files between their listing and now */
async function assertUnchanged(
  shell: WorkspaceShell,
  repositories: readonly SnapshotRepository[],
): Promise<void> {
  for (const { path, statusSha256 } of repositories.flatMap(({ trees }) => trees)) {
    if (statusSha256 !== null && statusSha256 !== (await statusOf(shell, `${shell.place.root}/${path}`)))
      throw new Error(`${path} changed during the capture`);
  }
}

function degradationOf({ acpSessionId, agentType }: SnapshotSubject, skippedCount: number): Degradation {
  if (acpSessionId === null || agentType === null) return 'agent-context-skipped';
  return skippedCount > 0 ? 'entries-skipped' : 'none';
}

async function withTransferErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof TransferError) throw new AgentError('snapshot_failed', cause.message, { cause });
    throw cause;
  }
}
