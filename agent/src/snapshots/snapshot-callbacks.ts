import * as z from 'zod/mini';
import {
  CompletedSnapshot,
  type CompleteSnapshot,
  maxManifestBytes,
  PreparedSnapshot,
  type PrepareSnapshot,
  RestorePlan,
  type RestoreResult,
  type SnapshotFailure,
  type SnapshotProgress,
  SnapshotUpload,
  type SnapshotUploadRequest,
} from '../../../protocol/snapshot-callbacks.js';
import { isUnavailable, retryAfterMsOf } from '../control-plane/callback-errors.js';
import type { ControlPlane } from '../control-plane/control-plane.js';
import { retry } from '../shared/retry.js';
import type { Workspace } from '../workspaces/workspace.js';

const progressTimeoutMs = 5_000;

/** The operation that calls, and when it ends. */
export interface SnapshotCaller {
  /** With the newest callback token. */
  readonly workspace: () => Workspace;
  readonly signal: AbortSignal;
}

interface Call<Schema extends z.ZodMiniType> {
  readonly path: string;
  readonly body: unknown;
  readonly answer: Schema;
  /** How often the call is sent while the control plane is unavailable. */
  readonly attempts: number;
  readonly timeoutMs?: number;
}

/** The callbacks of snapshots, each with the token of the workspace. */
export class SnapshotCallbacks {
  constructor(
    private readonly controlPlane: ControlPlane,
    private readonly timeoutMs: number,
  ) {}

  prepare(caller: SnapshotCaller, body: PrepareSnapshot): Promise<PreparedSnapshot> {
    return this.post(caller, { path: 'prepare', body, answer: PreparedSnapshot, attempts: 5 });
  }

  /** @param path as `prepare` named it */
  uploadUrl(caller: SnapshotCaller, path: string, body: SnapshotUploadRequest): Promise<SnapshotUpload> {
    const base = baseOf(caller);
    if (!path.startsWith(base)) throw new Error('The control plane named an unknown upload path');
    const call = { path: path.slice(base.length), body, answer: SnapshotUpload, attempts: 5 };
    return this.post(caller, call);
  }

  /** One attempt: the next report replaces it. */
  async progress(caller: SnapshotCaller, body: SnapshotProgress): Promise<void> {
    const call = { path: 'progress', body, answer: z.unknown(), attempts: 1, timeoutMs: progressTimeoutMs };
    await this.post(caller, call);
  }

  async failure(caller: SnapshotCaller, body: SnapshotFailure): Promise<void> {
    await this.post(caller, { path: 'failure', body, answer: z.unknown(), attempts: 5 });
  }

  complete(caller: SnapshotCaller, body: CompleteSnapshot): Promise<CompletedSnapshot> {
    const attempts = Number.POSITIVE_INFINITY;
    return this.post(caller, { path: 'complete', body, answer: CompletedSnapshot, attempts });
  }

  restorePlan(caller: SnapshotCaller, chatSessionId: string): Promise<RestorePlan> {
    const query = new URLSearchParams({ chatSessionId });
    const get = () =>
      this.controlPlane.get({
        path: `${baseOf(caller)}restore?${query}`,
        token: caller.workspace().callbackToken,
        answer: RestorePlan,
        maxAnswerBytes: 2 * maxManifestBytes,
        timeoutMs: this.timeoutMs,
        signal: caller.signal,
      });
    return retry(get, policy(caller, Number.POSITIVE_INFINITY));
  }

  /** Repeated until the control plane accepts or refuses it. */
  async restoreResult(caller: SnapshotCaller, body: RestoreResult): Promise<void> {
    const attempts = Number.POSITIVE_INFINITY;
    await this.post(caller, { path: 'restore-result', body, answer: z.unknown(), attempts });
  }

  private post<Schema extends z.ZodMiniType>(
    caller: SnapshotCaller,
    { path, attempts, timeoutMs = this.timeoutMs, ...call }: Call<Schema>,
  ): Promise<z.infer<Schema>> {
    const send = () =>
      this.controlPlane.post({
        ...call,
        path: baseOf(caller) + path,
        token: caller.workspace().callbackToken,
        timeoutMs,
        signal: caller.signal,
      });
    return retry(send, policy(caller, attempts));
  }
}

const baseOf = ({ workspace }: SnapshotCaller): string =>
  `/api/workspaces/${workspace().workspaceId}/session-snapshot/`;

function policy({ signal }: SnapshotCaller, attempts: number) {
  return {
    attempts,
    firstDelayMs: 1_000,
    maxDelayMs: 30_000,
    isTransient: isUnavailable,
    atLeastMs: retryAfterMsOf,
    signal,
  };
}
