import type { EvictionCapture } from '../../../protocol/eviction.js';
import { ObjectUrl } from '../../../protocol/object-url.js';
import type { CompleteSnapshot, PreparedSnapshot } from '../../../protocol/snapshot-callbacks.js';
import type {
  HibernateAgentSession,
  SnapshotArtifactName,
  SnapshotOperation,
} from '../../../protocol/snapshots.js';
import type { PromptFence } from '../agent-sessions/prompt-fence.js';
import type { SessionHosts } from '../agent-sessions/session-hosts.js';
import type { SessionKey } from '../agent-sessions/session-record.js';
import type { SessionRecords } from '../agent-sessions/session-records.js';
import { AgentError } from '../errors.js';
import type { MessageSequences } from '../reporting/outbox-message.js';
import type { Log } from '../shared/log.js';
import type { EventStore } from '../store/event-store.js';
import type { Terminals } from '../terminals/terminals.js';
import { readObject, uploadObject } from './object-transfer.js';
import { isStale, ProgressReports } from './progress-reports.js';
import { reasonOf } from './restore-repositories.js';
import type { SnapshotCallbacks, SnapshotCaller } from './snapshot-callbacks.js';
import type { SnapshotOperations } from './snapshot-operations.js';
import { snapshotSessions } from './snapshot-sessions.js';
import { snapshotTerminals } from './snapshot-terminals.js';
import type { SnapshotWorkspaces } from './snapshot-workspaces.js';
import type { CapturedHashes, CapturedObject, WorkspaceCapture } from './workspace-capture.js';

export interface CapturesDeps {
  readonly operations: SnapshotOperations;
  readonly callbacks: SnapshotCallbacks;
  readonly capture: WorkspaceCapture;
  readonly workspaces: SnapshotWorkspaces;
  readonly records: Pick<SessionRecords, 'list'>;
  readonly hosts: Pick<SessionHosts, 'find'>;
  readonly sequences: Pick<MessageSequences, 'last'>;
  readonly terminals: Pick<Terminals, 'running'>;
  readonly fence: PromptFence;
  readonly events: Pick<EventStore, 'add'>;
  readonly progressIntervalMs: number;
  readonly log: Log;
}

/** A capture that the control plane has stored, until the next one or the end of the agent. */
export interface CapturedState {
  readonly complete: CompleteSnapshot;
  readonly hashes: CapturedHashes;
  /** Prompts of the workspace that were accepted before the capture. */
  readonly prompts: number;
}

interface CaptureTarget extends SessionKey {
  readonly chatSessionId: string;
  readonly operationId: string;
  readonly eviction?: EvictionCapture;
  /** Reads the files; undefined: in the workspace itself. */
  readonly capture?: WorkspaceCapture | undefined;
}

/** A capture of the node for an eviction. */
export interface CaptureToEvict extends Omit<CaptureTarget, 'eviction'> {
  readonly eviction: EvictionCapture;
  readonly timeoutMs: number;
}

const uploadAttempts = 3;
const failureTimeoutMs = 60_000;

/** Captures workspaces in the background. Sessions and prompts go on. */
export class Captures {
  private readonly captured = new Map<string, CapturedState>();

  constructor(private readonly deps: CapturesDeps) {}

  /** Begins a capture, or continues the one of a repeated request. @throws AgentError */
  begin(key: SessionKey, request: HibernateAgentSession): SnapshotOperation {
    const { operations, workspaces, log } = this.deps;
    const { chatSessionId, operationId } = request;
    const session = workspaces.session(key, request);
    if (session.status === 'stopped')
      throw new AgentError('invalid_transition', 'Session is stopped and cannot be hibernated');
    const { workspaceId, sessionId } = key;
    const target = { workspaceId, sessionId, chatSessionId, operationId };
    const work = async (signal: AbortSignal) => void (await this.run(target, signal));
    const accepted = operations.begin({ kind: 'capture', key: { workspaceId, sessionId }, request, work });
    log.info('Capture of the workspace requested', { workspaceId, operationId, accepted });
    return { operationId, accepted };
  }

  /**
   * Captures a workspace that is to be evicted, and waits until the control plane has verified the
   * objects. @throws when it fails, or another operation runs
   */
  async toEvict({ timeoutMs, ...target }: CaptureToEvict): Promise<CapturedState> {
    const { workspaceId, operationId } = target;
    const work = (signal: AbortSignal) => this.run(target, signal);
    const captured = await this.deps.operations.run(workspaceId, { operationId, timeoutMs, work });
    if (!captured) throw new Error('Another snapshot operation of the workspace runs');
    return captured;
  }

  /** The last capture of the workspace, by this run of the agent. */
  find(workspaceId: string): CapturedState | null {
    return this.captured.get(workspaceId) ?? null;
  }

  forget(workspaceId: string): void {
    this.captured.delete(workspaceId);
  }

  private async run(target: CaptureTarget, signal: AbortSignal): Promise<CapturedState> {
    const { workspaceId, sessionId: agentSessionId, chatSessionId, operationId, eviction } = target;
    const { callbacks, workspaces } = this.deps;
    const caller = { workspace: () => workspaces.current(workspaceId), signal };
    const known = this.captured.get(workspaceId);
    // The step that waits for this capture may have begun again.
    if (known?.complete.operationId === operationId) {
      await callbacks.complete(caller, known.complete);
      return known;
    }
    this.captured.delete(workspaceId);
    const names = { chatSessionId, agentSessionId, operationId };
    const prepared = await callbacks.prepare(caller, {
      ...names,
      runtime: 'vm',
      directUploadSupported: true,
      ...(eviction ? { eviction } : {}),
    });
    try {
      const captured = await this.captureOnce(target, prepared, caller);
      this.captured.set(workspaceId, captured);
      const message = 'Snapshot stored';
      const detail = { sessionId: agentSessionId };
      this.deps.events.add({ workspaceId, level: 'info', type: 'agent_session.hibernated', message, detail });
      return captured;
    } catch (error) {
      await this.reportFailure(target, { generation: prepared.generation, caller, error });
      throw error;
    }
  }

  private async captureOnce(
    target: CaptureTarget,
    prepared: PreparedSnapshot,
    caller: SnapshotCaller,
  ): Promise<CapturedState> {
    const { callbacks, fence } = this.deps;
    const { workspaceId, chatSessionId, operationId, capture = this.deps.capture } = target;
    const { generation, config } = prepared;
    const superseded = new AbortController();
    const signal = AbortSignal.any([caller.signal, superseded.signal]);
    using reports = this.reports(target, caller, () =>
      superseded.abort(new Error('The capture was cancelled')),
    );
    const prompts = fence.count(workspaceId);
    const { manifest, hashes } = await capture.run({
      subject: this.subjectOf(target),
      chatSessionId,
      limits: {
        totalBytes: config.totalBudgetBytes,
        entryBytes: config.entryThresholdBytes,
        entries: config.maxEntries,
      },
      onStep: (step) => {
        reports.step = step;
      },
      upload: (artifact, object) =>
        this.upload({ artifact, object, target, prepared, caller: { ...caller, signal } }),
      signal,
    });
    const complete = { chatSessionId, generation, operationId, manifest };
    await callbacks.complete({ ...caller, signal }, complete);
    return { complete, hashes, prompts };
  }

  private reports(target: CaptureTarget, caller: SnapshotCaller, onSuperseded: () => void): ProgressReports {
    const { callbacks, progressIntervalMs: intervalMs } = this.deps;
    const { chatSessionId, operationId } = target;
    const operation = { chatSessionId, operationId };
    return new ProgressReports({ callbacks, caller, operation, intervalMs, onSuperseded }, 'prepared');
  }

  private subjectOf({ workspaceId, sessionId }: CaptureTarget) {
    return {
      workspace: this.deps.workspaces.current(workspaceId),
      agentSessionId: sessionId,
      sessions: () => snapshotSessions(this.deps, workspaceId),
      terminals: (shell: Parameters<typeof snapshotTerminals>[1]) =>
        snapshotTerminals(this.deps.terminals, shell),
    };
  }

  /** Every attempt gets another address: the last one may have expired. */
  private async upload({ artifact, object: { path, object }, ...upload }: ArtifactUpload): Promise<void> {
    const { target, prepared, caller } = upload;
    const { chatSessionId } = target;
    const { generation, config } = prepared;
    const request = { chatSessionId, generation, ...object };
    for (let attempt = 1; ; attempt += 1) {
      const address = await this.deps.callbacks.uploadUrl(caller, prepared.directUpload[artifact], request);
      if (!ObjectUrl.safeParse(address.uploadUrl).success)
        throw new Error('The address of the object is not allowed');
      try {
        const { uploadUrl: url, headers } = address;
        const idleMs = config.transferIdleTimeoutMs;
        const body = readObject(path);
        const { sizeBytes } = object;
        return await uploadObject({ body, sizeBytes, url, headers, signal: caller.signal, idleMs });
      } catch (error) {
        caller.signal.throwIfAborted();
        if (attempt >= uploadAttempts) throw error;
        this.deps.log.warn('Upload of a snapshot failed', {
          workspaceId: target.workspaceId,
          attempt,
          error,
        });
      }
    }
  }

  /** Not for a capture that the control plane or a stop has ended. */
  private async reportFailure(
    { workspaceId, chatSessionId, operationId }: CaptureTarget,
    { generation, caller, error }: Failure,
  ): Promise<void> {
    if (isStale(error) || this.deps.operations.isEnded(workspaceId)) return;
    const body = { chatSessionId, generation, operationId, error: reasonOf(error) };
    const signal = AbortSignal.timeout(failureTimeoutMs);
    await this.deps.callbacks.failure({ ...caller, signal }, body).catch((unsent: unknown) => {
      this.deps.log.warn('Failure of a capture was not reported', { workspaceId, error: unsent });
    });
  }
}

interface ArtifactUpload {
  readonly artifact: SnapshotArtifactName;
  readonly object: CapturedObject;
  readonly target: CaptureTarget;
  readonly prepared: PreparedSnapshot;
  readonly caller: SnapshotCaller;
}

interface Failure {
  readonly generation: number;
  readonly caller: SnapshotCaller;
  readonly error: unknown;
}
