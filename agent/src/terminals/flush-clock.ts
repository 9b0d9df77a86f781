/** Output of so short a time goes out together, where there is more of it than a person types. */
const spacingMs = 3;

/**
 * When what a terminal wrote is sent on. After a rest at once, when all that can be read has been read: a key's echo waits
 * for nothing. Then at most every three milliseconds, unless so much has come that waiting would gain nothing.
 */
export class FlushClock {
  private soon: NodeJS.Immediate | null = null;
  private later: NodeJS.Timeout | null = null;
  private lastMs = 0;

  constructor(private readonly flush: () => void) {}

  /** @param isMuch enough for a frame of full size */
  wanted(isMuch: boolean): void {
    if (this.soon) return;
    const waitMs = isMuch ? 0 : this.lastMs + spacingMs - performance.now();
    if (waitMs > 0) this.later ??= setTimeout(() => this.run(), waitMs);
    else this.soon = setImmediate(() => this.run());
  }

  /** It is being done: what was planned is void. */
  done(): void {
    if (this.soon) clearImmediate(this.soon);
    if (this.later) clearTimeout(this.later);
    this.soon = null;
    this.later = null;
    this.lastMs = performance.now();
  }

  private run(): void {
    this.done();
    this.flush();
  }
}
