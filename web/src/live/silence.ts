/** Somebody looks at the page: a dead connection is noticed within these two. */
const watchedMs = 4_000;
const answerWithinMs = 4_000;
/** API Gateway ends a socket that is silent for ten minutes. */
const unwatchedMs = 4 * 60_000;

interface SilenceOptions {
  readonly ping: () => void;
  readonly dead: () => void;
  readonly isWatched: () => boolean;
}

/** Asks when nothing came for a while, and takes what then stays silent for dead. */
export class Silence implements Disposable {
  private next: ReturnType<typeof setTimeout> | undefined;
  private answer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: SilenceOptions) {}

  /** Anything came, or the connection opened. */
  received(): void {
    this[Symbol.dispose]();
    this.next = setTimeout(() => this.ask(), this.options.isWatched() ? watchedMs : unwatchedMs);
  }

  ask(): void {
    if (this.answer !== undefined) return;
    clearTimeout(this.next);
    this.options.ping();
    this.answer = setTimeout(() => this.options.dead(), answerWithinMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.next);
    clearTimeout(this.answer);
    this.answer = undefined;
  }
}
