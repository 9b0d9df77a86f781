/** A secret that its owner may replace is read again after this time. */
const freshMs = 5 * 60_000;
/** Refusals read a secret again at most this often: anybody can cause a refusal. */
const refusalPauseMs = 30_000;

/** A secret that is kept for minutes, and read again when it is refused. */
export class RotatingSecret<Secret> {
  private kept: Promise<Secret> | undefined;
  private readAt = 0;

  constructor(
    private readonly read: () => Promise<Secret>,
    private readonly now: () => number = Date.now,
  ) {}

  get(): Promise<Secret> {
    return this.keptFor(freshMs);
  }

  /** The secret after somebody refused the one of `get`. */
  afterRefusal(): Promise<Secret> {
    return this.keptFor(refusalPauseMs);
  }

  private keptFor(ms: number): Promise<Secret> {
    if (this.kept && this.now() - this.readAt < ms) return this.kept;
    const present = this.read();
    this.kept = present;
    this.readAt = this.now();
    present.catch(() => {
      // A failure is not kept: the next call reads again.
      if (this.kept === present) this.kept = undefined;
    });
    return present;
  }
}
