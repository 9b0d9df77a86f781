/** `Date` has a resolution of one second, and responses take time. */
const toleranceMs = 5_000;

/**
 * The control plane's time, from the `Date` of its responses. Its tokens live for minutes by its
 * clock, so a node whose own clock is wrong must use this time to check them.
 */
export class ServerClock {
  private offset = 0;

  constructor(private readonly local: () => number = Date.now) {}

  /** Takes the `Date` header of a new response; ignores an invalid one. */
  observe(date: string | null): void {
    const serverMs = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(serverMs)) return;
    const offset = serverMs - this.local();
    this.offset = Math.abs(offset) > toleranceMs ? offset : 0;
  }

  /** How far the control plane is ahead of this machine; 0 within the tolerance. */
  get offsetMs(): number {
    return this.offset;
  }

  readonly now = (): Date => new Date(this.local() + this.offset);
}
