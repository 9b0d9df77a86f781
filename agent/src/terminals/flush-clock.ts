/** Output of so short a time goes out together, where there is more of it than a person types. */
const shortestMs = 3;
/** And of so long a time where there is no end of it: nobody sees the difference, and many floods share one loop. */
const longestMs = 12;

/**
 * When what a terminal wrote is sent on. After a rest at once: a key's echo waits for nothing. Then every few
 * milliseconds, ever more of them while it goes on writing, unless so much has come that waiting would gain nothing.
 */
export class FlushClock {
  private soon: NodeJS.Immediate | null = null;
  private later: NodeJS.Timeout | null = null;
  private lastMs = 0;
  private spacingMs = shortestMs;

  constructor(private readonly flush: () => void) {}

  /** @param isMuch enough for a frame of full size */
  wanted(isMuch: boolean): void {
    if (this.soon) return;
    if (isMuch) this.soon = setImmediate(() => this.run());
    else if (!this.later) this.wait();
  }

  /** It is being done: what was planned is void. */
  done(): void {
    if (this.soon) clearImmediate(this.soon);
    if (this.later) clearTimeout(this.later);
    this.soon = null;
    this.later = null;
    this.lastMs = performance.now();
  }

  private wait(): void {
    const waitMs = this.lastMs + this.spacingMs - performance.now();
    if (waitMs <= 0) {
      this.spacingMs = shortestMs;
      this.run();
      return;
    }
    this.later = setTimeout(() => {
      this.spacingMs = Math.min(2 * this.spacingMs, longestMs);
      this.run();
    }, waitMs);
  }

  private run(): void {
    this.done();
    this.flush();
  }
}
