import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SnapshotProgress } from '../../../protocol/snapshot-callbacks.js';
import type {
  SnapshotArtifactName,
  SnapshotManifest,
  SnapshotRepository,
} from '../../../protocol/snapshots.js';
import type { WorkspaceCommands } from '../files/workspace-commands.js';
import type { Log } from '../shared/log.js';
import { type CapturedPart, capturePart } from './capture-part.js';
import { captureRepositories } from './capture-repositories.js';
import { captureHome, listHome } from './home.js';
import { type CapturedHome, manifestOf, type SnapshotSubject } from './manifest.js';
import { SnapshotBudget, type SnapshotLimits } from './snapshot-budget.js';
import { isUnchanged, listWork, type WorkListing } from './work-listing.js';
import { WorkspaceShell } from './workspace-shell.js';

/** An object of the snapshot in a file of the node. */
export type CapturedObject = Pick<CapturedPart<unknown>, 'path' | 'object'>;

export interface CaptureRequest {
  readonly subject: SnapshotSubject;
  readonly chatSessionId: string;
  readonly limits: SnapshotLimits;
  readonly onStep: (step: SnapshotProgress['step']) => void;
  readonly upload: (artifact: SnapshotArtifactName, captured: CapturedObject) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Hashes of what was captured, to detect later changes. */
export interface CapturedHashes {
  readonly work: string;
  readonly home: string;
}

export interface CapturedWorkspace {
  readonly manifest: SnapshotManifest;
  readonly hashes: CapturedHashes;
}

/** Captures the repositories and the home of a workspace, which goes on. */
export class WorkspaceCapture {
  constructor(
    private readonly commands: WorkspaceCommands,
    private readonly folder: string,
    private readonly log: Log,
  ) {}

  /** Deletes temporary files of an earlier run of the agent. */
  async start(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** @throws when a part cannot be captured or uploaded */
  async run(request: CaptureRequest): Promise<CapturedWorkspace> {
    const folder = join(this.folder, randomUUID());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      return await this.capture(request, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async capture(request: CaptureRequest, folder: string): Promise<CapturedWorkspace> {
    const { subject, chatSessionId, signal } = request;
    const shell = new WorkspaceShell(this.commands, subject.workspace, signal);
    const before = subject.sessions();
    const { captured: wip, use: home } = await this.captureWork(shell, request, folder);
    const terminals = await subject.terminals(shell);
    const manifest = manifestOf({ subject, chatSessionId, before, wip, home, terminals });
    return { manifest, hashes: { work: wip.content.hash, home: home.content.hash } };
  }

  /** Work is captured first, so that a full budget does not exclude it. */
  private captureWork(shell: WorkspaceShell, request: CaptureRequest, folder: string) {
    const { limits, onStep, upload } = request;
    onStep('wip-capture');
    return capturePart<CapturedWork, CapturedPart<CapturedHome>>({
      artifact: 'wip',
      path: join(folder, 'wip'),
      budget: new SnapshotBudget(limits),
      capture: async (archive, budget) => {
        const listing = await listWork(shell);
        const repositories = await captureRepositories(shell, archive, { listing, budget });
        return { repositories, listing, hash: await listing.hash };
      },
      check: async ({ listing }) => {
        if (!(await isUnchanged(shell, listing))) throw new Error('Files changed during the capture');
      },
      use: async (wip) => {
        onStep('wip-upload');
        const uploaded = upload('wip', wip).then(() => onStep('home-capture'));
        const ended = uploaded.catch(() => undefined);
        try {
          return await this.captureHome(shell, { request, budget: wip.budget, folder, after: uploaded });
        } finally {
          await ended;
        }
      },
      onFailure: (attempt, error) => this.warn('work', { shell, attempt, error }),
    });
  }

  /** Harnesses may write to the home at any time. A stop compares its hash. */
  private async captureHome(shell: WorkspaceShell, { request, budget, folder, after }: HomeCapture) {
    const { onStep, upload } = request;
    const { captured } = await capturePart<CapturedHome, void>({
      artifact: 'home',
      path: join(folder, 'home'),
      budget,
      capture: async (archive, left) => {
        const { folders, hash } = await listHome(shell);
        return { ...(await captureHome(shell, archive, { folders, budget: left })), hash };
      },
      use: async (home) => {
        await after;
        onStep('home-upload');
        await upload('home', home);
      },
      onFailure: (attempt, error) => this.warn('home', { shell, attempt, error }),
    });
    return captured;
  }

  private warn(part: string, { shell, ...detail }: FailedAttempt): void {
    shell.signal.throwIfAborted();
    const { workspaceId } = shell.workspace;
    this.log.warn('Could not capture a part of a snapshot', { workspaceId, part, ...detail });
  }
}

interface CapturedWork {
  readonly repositories: SnapshotRepository[];
  readonly listing: WorkListing;
  readonly hash: string;
}

interface HomeCapture {
  readonly request: CaptureRequest;
  /** The rest that the work leaves. */
  readonly budget: SnapshotBudget;
  readonly folder: string;
  /** The upload of the work. */
  readonly after: Promise<void>;
}

interface FailedAttempt {
  readonly shell: WorkspaceShell;
  readonly attempt: number;
  readonly error: unknown;
}
