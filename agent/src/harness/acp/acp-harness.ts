import { setTimeout as wait } from 'node:timers/promises';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { endProcess, stopTimeouts } from '../end-process.js';
import { type Harness, HarnessError, type HarnessExit } from '../harness.js';
import { type FailureContext, outOfMemoryFailure, stderrDetail, turnFailure } from '../harness-failure.js';
import type { HarnessProcess, ProcessEnd } from '../harness-process.js';
import type { AcpConnection } from './acp-connection.js';
import { failureOfAnswer, type ProviderRetries } from './provider-failures.js';

interface AcpHarnessDeps {
  readonly connection: AcpConnection;
  readonly process: HarnessProcess;
  /** Display name. */
  readonly name: string;
  readonly secrets: readonly string[];
  readonly startedAt: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly stopGraceMs: number;
  readonly retries: ProviderRetries;
  /** Called after each turn. */
  readonly onTurn: (turn: { readonly acpSessionId: string; readonly isCompleted: boolean }) => void;
  /** Called after the process ended, before `stop` settles. */
  readonly onEnd: () => Promise<void>;
}

export interface OpenSession {
  readonly acpSessionId: string;
  readonly canLoad: boolean;
  readonly canCancel: boolean;
  readonly canClose: boolean;
}

/** How long to wait for remaining output after the process or its connection ended. */
const drainMs = 500;

/** An ACP process and its connection. When one ends, the other is ended too. */
export class AcpHarness {
  readonly exited: Promise<HarnessExit>;
  private isIntended = false;
  private isLost = false;
  private ending: Promise<void> | null = null;
  /** Callbacks of pending answers. Racing a long-lived promise would leak a promise a turn. */
  private readonly onLost = new Set<() => void>();
  /** Settles after the cleanup that follows the end of the process. */
  private readonly settled: Promise<void>;

  constructor(private readonly deps: AcpHarnessDeps) {
    const { connection, process } = deps;
    this.exited = process.exited.then((end) => this.exitOf(end));
    this.settled = this.exited.then(() => this.afterwards()).catch(() => undefined);
    process.exited.then(() => this.lose()).catch(() => undefined);
    connection.closed
      .then(() => this.lose())
      .then(() => wait(drainMs))
      .then(() => this.end())
      .catch(() => undefined);
  }

  /** The harness with its session. */
  with(session: OpenSession): Harness {
    const { connection } = this.deps;
    const { acpSessionId } = session;
    return {
      ...session,
      exited: this.exited,
      prompt: (blocks) => this.prompt(acpSessionId, blocks),
      cancel: () => connection.cancel(acpSessionId),
      close: async (signal) => {
        await Promise.race([connection.close(acpSessionId).catch(() => undefined), aborted(signal)]);
      },
      stop: () => this.stop(),
    };
  }

  async stop(): Promise<HarnessExit> {
    this.isIntended = true;
    await this.end();
    await this.settled;
    return this.exited;
  }

  /** @throws HarnessError `crashed` once the process has ended, or can no longer be spoken with */
  failing<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onLost = () => {
      // An answer that was sent before the end still counts.
      wait(drainMs)
        .then(() => this.crash())
        .catch(reject);
    };
    this.onLost.add(onLost);
    if (this.isLost) onLost();
    work
      .then(resolve, (error: unknown) => this.orCrash(error).catch(reject))
      .finally(() => this.onLost.delete(onLost));
    return promise;
  }

  get failure(): FailureContext {
    return { stderr: this.deps.process.stderr, secrets: this.deps.secrets };
  }

  private async orCrash(error: unknown): Promise<never> {
    if (!this.deps.connection.isClosed) throw error;
    return this.crash();
  }

  private lose(): void {
    this.isLost = true;
    for (const onLost of this.onLost) onLost();
    this.onLost.clear();
  }

  private async crash(): Promise<never> {
    const { process, name, connection } = this.deps;
    const end = await Promise.race([process.exited, wait(drainMs, null)]);
    const outOfMemory = this.outOfMemory();
    if (outOfMemory !== null) throw outOfMemoryFailure(name, outOfMemory, this.failure);
    const how = end === null ? 'can no longer be spoken with' : `ended ${describe(end)}`;
    throw new HarnessError('crashed', `${name} ${how}`, {
      ...stderrDetail(this.failure),
      code: 'agent_crash',
      cause: connection.closeReason,
    });
  }

  private async prompt(acpSessionId: string, blocks: readonly ContentBlock[]) {
    this.deps.retries.turnStarted();
    try {
      const { stopReason, _meta } = await this.failing(this.deps.connection.prompt(acpSessionId, blocks));
      const failure = failureOfAnswer(_meta, this.failure);
      if (failure) throw failure;
      this.deps.onTurn({ acpSessionId, isCompleted: true });
      return { stopReason };
    } catch (error) {
      this.deps.onTurn({ acpSessionId, isCompleted: false });
      throw this.failureOf(error);
    }
  }

  /** A harness may live on when the program that it drives is killed. */
  private failureOf(error: unknown): HarnessError {
    const failure = error instanceof HarnessError ? error : turnFailure(error, this.failure);
    const outOfMemory = failure.detail.code === 'agent_crash' ? this.outOfMemory() : null;
    return outOfMemory === null ? failure : outOfMemoryFailure(this.deps.name, outOfMemory, this.failure);
  }

  private outOfMemory(): string | null {
    return this.isIntended ? null : (this.deps.process.outOfMemory?.() ?? null);
  }

  private async end(): Promise<void> {
    this.ending ??= endProcess(this.deps.process, { ...stopTimeouts, termMs: this.deps.stopGraceMs });
    await this.ending;
  }

  private exitOf(end: ProcessEnd): HarnessExit {
    return {
      ...end,
      ...stderrDetail(this.failure),
      livedMs: Math.round(performance.now() - this.deps.startedAt),
      isIntended: this.isIntended,
      outOfMemory: this.outOfMemory(),
    };
  }

  private async afterwards(): Promise<void> {
    const { connection, onEnd } = this.deps;
    await Promise.race([connection.closed, wait(drainMs)]);
    connection.end();
    await this.end().catch(() => undefined);
    await onEnd();
  }
}

function describe({ exitCode, signal }: ProcessEnd): string {
  return signal === null ? `with code ${exitCode}` : `by ${signal}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
