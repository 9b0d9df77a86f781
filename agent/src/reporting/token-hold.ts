const resendsWithNewToken = 3;

interface Hold {
  readonly token: string;
  readonly since: number;
  isReported: boolean;
}

/** Of a workspace whose token was refused: nothing is sent with it any more, and nothing is lost. */
export class TokenHold {
  private hold: Hold | null = null;
  private newTokens = 0;

  constructor(
    private readonly reportAfterMs: number,
    private readonly now: () => number,
  ) {}

  get isHolding(): boolean {
    return this.hold !== null;
  }

  /** False when the token was replaced while the request was on its way, and the present one may be tried at once. */
  begin(used: string, present: string | undefined): boolean {
    if (present !== used && this.newTokens < resendsWithNewToken) {
      this.newTokens += 1;
      return false;
    }
    this.hold = { token: used, since: this.now(), isReported: false };
    return true;
  }

  /** Ends with another token. */
  holds(token: string): boolean {
    if (this.hold?.token !== token) this.hold = null;
    return this.hold !== null;
  }

  /** For how long it has held; once, when that has become long. */
  takeReport(): number | null {
    if (!this.hold || this.hold.isReported) return null;
    const pausedMs = this.now() - this.hold.since;
    if (pausedMs < this.reportAfterMs) return null;
    this.hold.isReported = true;
    return pausedMs;
  }

  /** A request was taken. */
  clear(): void {
    this.newTokens = 0;
  }
}
