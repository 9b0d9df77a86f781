export interface FailureLimits {
  readonly retryInitialMs: number;
  readonly retryMaxMs: number;
  /** After this a failure is reported, and a refusal without a known reason final. */
  readonly retryMaxElapsedMs: number;
}

/** Failures in a row, and how long that has been going on. */
export class FailureSpan {
  private count = 0;
  private since: number | null = null;
  private isReported = false;

  constructor(
    private readonly limits: FailureLimits,
    private readonly now: () => number,
  ) {}

  get isFailing(): boolean {
    return this.count > 0;
  }

  get isLong(): boolean {
    return this.since !== null && this.now() - this.since >= this.limits.retryMaxElapsedMs;
  }

  /** @returns how long to wait before the next attempt */
  add(): number {
    this.since ??= this.now();
    this.count += 1;
    return Math.min(this.limits.retryInitialMs * 2 ** (this.count - 1), this.limits.retryMaxMs);
  }

  /** True once in a span that has become long. */
  takeReport(): boolean {
    if (!this.isLong || this.isReported) return false;
    this.isReported = true;
    return true;
  }

  clear(): void {
    this.count = 0;
    this.since = null;
    this.isReported = false;
  }
}
