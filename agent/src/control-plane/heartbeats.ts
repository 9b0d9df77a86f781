import type { z } from 'zod/mini';
import { HeartbeatResult, type NodeReady, NodeReadyResult } from '../../../protocol/callbacks.js';
import type { Heartbeat } from '../../../protocol/heartbeat.js';
import type { BootDiagnostics } from '../node/boot-diagnostics.js';
import type { Log } from '../shared/log.js';
import { retry } from '../shared/retry.js';
import { SingleFlight } from '../shared/single-flight.js';
import { CallbackRefused, isUnavailable } from './callback-errors.js';
import type { ControlPlane } from './control-plane.js';
import type { NodeToken } from './node-token.js';

interface HeartbeatOptions {
  readonly nodeId: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

interface HeartbeatDeps {
  readonly controlPlane: ControlPlane;
  readonly token: NodeToken;
  readonly log: Log;
  readonly bootDiagnostics: Pick<BootDiagnostics, 'recordFailure'>;
  readonly compose: () => Promise<Heartbeat>;
  /** The control plane has stored the last heartbeat. */
  readonly onAccepted: (result: HeartbeatResult) => void;
  /** Records that the control plane has accepted this node. */
  readonly onReady: () => Promise<void>;
  /** Deliveries that are retried when the control plane answers. */
  readonly afterwards: () => Promise<void>;
}

/** Reports the node ready, then sends heartbeats at an interval. */
export class Heartbeats implements AsyncDisposable {
  private readonly ended = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private readonly sending = new SingleFlight();
  private readonly delivering = new SingleFlight();

  constructor(
    private readonly options: HeartbeatOptions,
    private readonly deps: HeartbeatDeps,
  ) {}

  /** Retries until the control plane has answered, then starts the heartbeats. */
  async start(ready: NodeReady): Promise<void> {
    const { bootDiagnostics, log, onReady } = this.deps;
    try {
      await retry(() => this.post('ready', ready, NodeReadyResult), {
        attempts: Number.POSITIVE_INFINITY,
        firstDelayMs: 500,
        maxDelayMs: 30_000,
        isTransient: isUnavailable,
        signal: this.ended.signal,
        onRetry: (error, delayMs) => {
          bootDiagnostics.recordFailure('Ready', error);
          log.warn('Readiness report failed; retrying', { error, delayMs });
        },
      });
      await onReady().catch((error: unknown) => log.error('Readiness could not be stored', { error }));
    } catch (error) {
      if (this.ended.signal.aborted) return;
      log.error('Readiness report refused', { error });
      if (this.isFinal(error)) return;
    }
    log.info('Node is ready');
    this.beat();
    this.timer = setInterval(() => this.beat(), this.options.intervalMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort();
    clearInterval(this.timer);
    await Promise.allSettled([this.sending.current, this.delivering.current]);
  }

  private beat(): void {
    void this.sending.run(() => this.send());
  }

  private async send(): Promise<void> {
    const { compose, onAccepted, token, log } = this.deps;
    try {
      const result = await this.post('heartbeat', await compose(), HeartbeatResult);
      onAccepted(result);
      if (result.refreshedToken !== undefined)
        await token
          .replace(result.refreshedToken)
          .catch((error: unknown) => log.error('The new callback token could not be stored', { error }));
      this.deliver();
    } catch (error) {
      if (this.ended.signal.aborted) return;
      log.warn('Heartbeat failed', { error });
      this.isFinal(error);
    }
  }

  /** Not awaited: a slow delivery must not delay the next heartbeat. */
  private deliver(): void {
    const { afterwards, log } = this.deps;
    void this.delivering.run(() =>
      afterwards().catch((error: unknown) => log.error('Deliveries after the heartbeat failed', { error })),
    );
  }

  /** Whether the control plane does not know this node; then all callbacks stop. */
  private isFinal(error: unknown): boolean {
    const isFinal = error instanceof CallbackRefused && error.isTerminalForNode;
    if (!isFinal) return false;
    this.deps.log.error('The control plane does not know this node; all callbacks stop', { error });
    this.deps.controlPlane.stopPermanently();
    clearInterval(this.timer);
    return true;
  }

  private post<Schema extends z.ZodMiniType>(name: string, body: unknown, answer: Schema) {
    return this.deps.controlPlane.post({
      path: `/api/nodes/${this.options.nodeId}/${name}`,
      token: this.deps.token.value,
      body,
      answer,
      timeoutMs: this.options.timeoutMs,
      signal: this.ended.signal,
    });
  }
}
