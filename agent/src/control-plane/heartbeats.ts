import type { z } from 'zod/mini';
import { HeartbeatResult, type NodeReady, NodeReadyResult } from '../../../protocol/callbacks.js';
import type { Heartbeat } from '../../../protocol/heartbeat.js';
import type { BootDiagnostics } from '../node/boot-diagnostics.js';
import type { Log } from '../shared/log.js';
import { retry } from '../shared/retry.js';
import { CallbackRefused, isUnavailable } from './callback-errors.js';
import type { ControlPlane } from './control-plane.js';
import type { NodeToken } from './node-token.js';

export interface HeartbeatOptions {
  readonly nodeId: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export interface HeartbeatParts {
  readonly controlPlane: ControlPlane;
  readonly token: NodeToken;
  readonly log: Log;
  readonly bootDiagnostics: Pick<BootDiagnostics, 'recordFailure'>;
  readonly compose: () => Promise<Heartbeat>;
  /** Keeps in mind that the control plane has once taken this node. */
  readonly onReady: () => Promise<void>;
  /** What else wants to be delivered once the control plane is known to answer. */
  readonly afterwards: () => Promise<void>;
}

/** Reports the node ready and then, at every interval, alive. */
export class Heartbeats implements AsyncDisposable {
  private readonly ended = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | null = null;
  private following: Promise<void> | null = null;

  constructor(
    private readonly options: HeartbeatOptions,
    private readonly parts: HeartbeatParts,
  ) {}

  /** Repeats until the control plane has answered; then heartbeats begin. */
  async start(ready: NodeReady): Promise<void> {
    const { bootDiagnostics, log, onReady } = this.parts;
    try {
      await retry(() => this.post('ready', ready, NodeReadyResult), {
        attempts: Number.POSITIVE_INFINITY,
        firstDelayMs: 500,
        maxDelayMs: 30_000,
        isTransient: isUnavailable,
        signal: this.ended.signal,
        onRetry: (error, delayMs) => {
          bootDiagnostics.recordFailure('Ready', error);
          log.warn('Ready is not answered; trying again', { error, delayMs });
        },
      });
      await onReady().catch((error: unknown) => log.error('Readiness could not be kept', { error }));
    } catch (error) {
      if (this.ended.signal.aborted) return;
      log.error('Ready was refused', { error });
      if (this.isFinal(error)) return;
    }
    log.info('Node is ready');
    this.beat();
    this.timer = setInterval(() => this.beat(), this.options.intervalMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    clearInterval(this.timer);
    await Promise.allSettled([this.beating, this.following]);
  }

  private beat(): void {
    this.beating ??= this.send().finally(() => {
      this.beating = null;
    });
  }

  private async send(): Promise<void> {
    const { compose, token, log } = this.parts;
    try {
      const result = await this.post('heartbeat', await compose(), HeartbeatResult);
      if (result.refreshedToken !== undefined)
        await token
          .replace(result.refreshedToken)
          .catch((error: unknown) => log.error('The new callback token could not be kept', { error }));
      this.follow();
    } catch (error) {
      if (this.ended.signal.aborted) return;
      log.warn('Heartbeat failed', { error });
      this.isFinal(error);
    }
  }

  /** Not awaited by the heartbeat: slow deliveries must not make the node look dead. */
  private follow(): void {
    const { afterwards, log } = this.parts;
    this.following ??= afterwards()
      .catch((error: unknown) => log.error('Deliveries after the heartbeat failed', { error }))
      .finally(() => {
        this.following = null;
      });
  }

  /** Whether the control plane has said that this node is none of its own; then all callbacks end. */
  private isFinal(error: unknown): boolean {
    const isFinal = error instanceof CallbackRefused && error.isTerminalForNode;
    if (!isFinal) return false;
    this.parts.log.error('The control plane does not know this node any more; all callbacks stop', { error });
    this.parts.controlPlane.stopForGood();
    clearInterval(this.timer);
    return true;
  }

  private post<Schema extends z.ZodMiniType>(name: string, body: unknown, answer: Schema) {
    return this.parts.controlPlane.post({
      path: `/api/nodes/${this.options.nodeId}/${name}`,
      token: this.parts.token.value,
      body,
      answer,
      timeoutMs: this.options.timeoutMs,
      signal: this.ended.signal,
    });
  }
}
