/** A second is as fine as HTTP's `Date` is, and answers take their time. */
const toleranceMs = 5_000;

/**
 * The control plane's time, as its answers tell it. Its tokens live for minutes and are dated by its clock: a node whose
 * own clock is off must not refuse good ones, or take old ones.
 */
export class ServerClock {
  private offset = 0;

  constructor(private readonly local: () => number = Date.now) {}

  /** Takes the `Date` of an answer that has just come; anything else than a date changes nothing. */
  observe(date: string | null): void {
    const told = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(told)) return;
    const offset = told - this.local();
    this.offset = Math.abs(offset) > toleranceMs ? offset : 0;
  }

  /** How far the control plane is ahead of this machine; 0 when the difference could be the answer's way. */
  get offsetMs(): number {
    return this.offset;
  }

  readonly now = (): Date => new Date(this.local() + this.offset);
}
