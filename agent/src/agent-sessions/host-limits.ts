/** How patient a session's host is; docs/agent-sessions.md says what each of them does. */
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
    /** Of a start that is no restart: the harness may have to be installed. */
    readonly firstStartTimeoutMs: number;
  };
  readonly cancelGraceMs: number;
  /** 0: none. */
  readonly promptTimeoutMs: number;
  readonly taskPromptTimeoutMs: number;
  /** Longest wait for a process that was told to end, and for the last words of one that has ended. */
  readonly stopTimeoutMs: number;
  readonly drainMs: number;
}

/** How often a harness may be started again; a quiet time gives all of it back. */
export class RestartBudget {
  private used = 0;
  private lastAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly limits: { readonly maxAttempts: number; readonly decayMs: number },
    private readonly now: () => number,
  ) {}

  /** Uses up one restart; false when there is none left. */
  take(): boolean {
    const at = this.now();
    if (at - this.lastAt > this.limits.decayMs) this.used = 0;
    this.lastAt = at;
    if (this.used >= this.limits.maxAttempts) return false;
    this.used += 1;
    return true;
  }
}
