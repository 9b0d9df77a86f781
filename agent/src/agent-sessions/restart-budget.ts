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
