/** Allows `perSecond` on average and `burst` at once. */
export class TokenBucket {
  private tokens: number;
  private last: number;

  constructor(
    private readonly limits: { readonly perSecond: number; readonly burst: number },
    private readonly now: () => number,
  ) {
    this.tokens = limits.burst;
    this.last = now();
  }

  take(): boolean {
    this.refill();
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Takes a token in any case. Returns the milliseconds until the debt is paid. */
  spend(): number {
    this.refill();
    this.tokens -= 1;
    return this.debtMs();
  }

  /** The milliseconds until the debt is paid; 0 without a debt. */
  debtMs(): number {
    this.refill();
    return Math.max(0, (-this.tokens / this.limits.perSecond) * 1_000);
  }

  private refill(): void {
    const now = this.now();
    // A clock that is set back takes nothing away.
    const gained = Math.max(0, (now - this.last) / 1_000) * this.limits.perSecond;
    this.tokens = Math.min(this.limits.burst, this.tokens + gained);
    this.last = now;
  }
}
