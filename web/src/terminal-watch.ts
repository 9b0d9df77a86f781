const tickMs = 2_000;
const pingAfterMs = 4_000;
const answerWithinMs = 5_000;

/**
 * Notices a connection that no longer answers, within ten seconds. A browser delays the timers of
 * hidden pages: what counts is a ping that stays without an answer.
 */
export class ConnectionWatch implements Disposable {
  private timer: ReturnType<typeof setInterval> | undefined;
  private receivedAt = 0;
  private pingedAt: number | undefined;

  constructor(
    private readonly ping: () => void,
    private readonly isDead: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  start(): void {
    this.stop();
    this.receivedAt = this.now();
    this.pingedAt = undefined;
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  /** Any message is an answer. */
  received(): void {
    this.receivedAt = this.now();
    this.pingedAt = undefined;
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  private tick(): void {
    const now = this.now();
    if (this.pingedAt === undefined && now - this.receivedAt >= pingAfterMs - tickMs) {
      this.pingedAt = now;
      this.ping();
    } else if (this.pingedAt !== undefined && now - this.pingedAt >= answerWithinMs - 1) {
      this.stop();
      this.isDead();
    }
  }
}
