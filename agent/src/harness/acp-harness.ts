import { setTimeout as wait } from 'node:timers/promises';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { AcpConnection } from './acp/acp-connection.js';
import { type Harness, HarnessError, type HarnessExit } from './harness.js';
import { type FailureContext, said, turnFailure } from './harness-failure.js';
import { endPatience, endProcess } from './launch/end-process.js';
import type { HarnessProcess, ProcessEnd } from './launch/harness-process.js';

interface AcpHarnessParts {
  readonly connection: AcpConnection;
  readonly process: HarnessProcess;
  /** For people. */
  readonly name: string;
  readonly secrets: readonly string[];
  readonly startedAt: number;
  /** Between TERM and KILL. */
  readonly stopGraceMs: number;
  /** After a turn that came to its end. */
  readonly onTurn: () => void;
  /** After its end, before `stop` settles. */
  readonly onEnd: () => Promise<void>;
}

export interface OpenSession {
  readonly acpSessionId: string;
  readonly canLoad: boolean;
  readonly canCancel: boolean;
}

/** What a process may still have to say once it has ended, or lost its output. */
const lastWordsMs = 500;

/** A process that speaks ACP. It ends with its connection, and its connection with it. */
export class AcpHarness {
  readonly exited: Promise<HarnessExit>;
  private isIntended = false;
  private isLost = false;
  private ending: Promise<void> | null = null;
  /** Whoever waits for an answer. Kept by hand: each promise that waits for a long-lived one stays as long as that. */
  private readonly onLost = new Set<() => void>();
  /** All is done that its end asks for. */
  private readonly settled: Promise<void>;

  constructor(private readonly parts: AcpHarnessParts) {
    const { connection, process } = parts;
    this.exited = process.exited.then((end) => this.exitOf(end));
    this.settled = this.exited.then(() => this.afterwards()).catch(() => undefined);
    process.exited.then(() => this.lose()).catch(() => undefined);
    connection.closed
      .then(() => this.lose())
      .then(() => wait(lastWordsMs))
      .then(() => this.end())
      .catch(() => undefined);
  }

  /** The harness with its one session. */
  with(session: OpenSession): Harness {
    const { connection } = this.parts;
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
      // What was answered before the end counts as answered.
      wait(lastWordsMs)
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
    return { stderr: this.parts.process.stderr, secrets: this.parts.secrets };
  }

  private async orCrash(error: unknown): Promise<never> {
    if (!this.parts.connection.isClosed) throw error;
    return this.crash();
  }

  private lose(): void {
    this.isLost = true;
    for (const tell of this.onLost) tell();
    this.onLost.clear();
  }

  private async crash(): Promise<never> {
    const { process, name, connection } = this.parts;
    const end = await Promise.race([process.exited, wait(lastWordsMs, null)]);
    const how = end === null ? 'can no longer be spoken with' : `ended ${describe(end)}`;
    throw new HarnessError('crashed', `${name} ${how}`, {
      ...said(this.failure),
      code: 'agent_crash',
      cause: connection.closeReason,
    });
  }

  private async prompt(acpSessionId: string, blocks: readonly ContentBlock[]) {
    try {
      const { stopReason } = await this.failing(this.parts.connection.prompt(acpSessionId, blocks));
      this.parts.onTurn();
      return { stopReason };
    } catch (error) {
      throw error instanceof HarnessError ? error : turnFailure(error, this.failure);
    }
  }

  private async end(): Promise<void> {
    this.ending ??= endProcess(this.parts.process, { ...endPatience, termMs: this.parts.stopGraceMs });
    await this.ending;
  }

  private exitOf(end: ProcessEnd): HarnessExit {
    return {
      ...end,
      ...said(this.failure),
      livedMs: Math.round(performance.now() - this.parts.startedAt),
      isIntended: this.isIntended,
    };
  }

  private async afterwards(): Promise<void> {
    const { connection, onEnd } = this.parts;
    await Promise.race([connection.closed, wait(lastWordsMs)]);
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
