/** Shortest interval between two sends while a terminal writes more than single keys. */
const shortestMs = 3;
/** Longest interval, for a continuous flood: not visible to people, and cheap for many floods. */
const longestMs = 12;

/**
 * Decides when output of a terminal is sent. After a pause: at once, so a key's echo does not wait.
 * Then at intervals that grow from 3 to 12 ms while the terminal goes on writing; at once again
 * when at least 32 KiB are available.
 */
export class FlushTimer {
  private soon: NodeJS.Immediate | null = null;
  private later: NodeJS.Timeout | null = null;
  private lastMs = 0;
  private spacingMs = shortestMs;

  constructor(private readonly flush: () => void) {}

  /** @param isMuch whether at least 32 KiB are available */
  request(isMuch: boolean): void {
    if (this.soon) return;
    if (isMuch) this.soon = setImmediate(() => this.run());
    else if (!this.later) this.wait();
  }

  /** A flush runs: cancels what was scheduled. */
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
