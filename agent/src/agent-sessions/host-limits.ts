import type { SessionRecord } from './session-record.js';

/** Timeouts and retries of a session host. docs/agent-sessions.md explains each. */
export interface HostLimits {
  readonly retries: {
    readonly maxRetries: number;
    readonly initialBackoffMs: number;
    readonly maxBackoffMs: number;
  };
  readonly restarts: {
    readonly maxAttempts: number;
    readonly decayMs: number;
    readonly pauseMs: number;
    readonly attemptTimeoutMs: number;
    /** Longer than `attemptTimeoutMs`: the first start may install the harness. */
    readonly firstStartTimeoutMs: number;
  };
  readonly cancelGraceMs: number;
  /** 0 disables the timeout. */
  readonly promptTimeoutMs: number;
  readonly taskPromptTimeoutMs: number;
  /** How long to wait for the process to end after a stop. */
  readonly stopTimeoutMs: number;
  /** How long to wait for the remaining output of a process that ended. */
  readonly drainMs: number;
}

/** How long one prompt may take; 0 without a limit. */
export function promptTimeoutOf(
  limits: Pick<HostLimits, 'promptTimeoutMs' | 'taskPromptTimeoutMs'>,
  session: Pick<SessionRecord, 'taskMode'> | null,
): number {
  return session?.taskMode === 'task' ? limits.taskPromptTimeoutMs : limits.promptTimeoutMs;
}

/** Counts restarts of a harness. The count resets after `decayMs` without a restart. */
export class RestartBudget {
  private used = 0;
  private lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly limits: { readonly maxAttempts: number; readonly decayMs: number },
    private readonly now: () => number,
  ) {}

  /** Returns false when no restart is left. */
  take(): boolean {
    const at = this.now();
    if (at - this.lastAt > this.limits.decayMs) this.used = 0;
    this.lastAt = at;
    if (this.used >= this.limits.maxAttempts) return false;
    this.used += 1;
    return true;
  }
}
