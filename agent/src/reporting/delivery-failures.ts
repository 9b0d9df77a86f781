import type { CallbackRefused } from '../control-plane/callback-errors.js';

export interface FailureLimits {
  readonly retryInitialMs: number;
  readonly retryMaxMs: number;
  /** After this time a failure is reported, and an unknown refusal is final. */
  readonly retryMaxElapsedMs: number;
}

/** Counts consecutive failures and their duration. */
export class FailureSpan {
  private count = 0;
  private since: number | null = null;
  private isReported = false;

  constructor(
    private readonly limits: FailureLimits,
    private readonly now: () => number,
  ) {}

  get isFailing(): boolean {
    return this.count > 0;
  }

  get isLong(): boolean {
    return this.since !== null && this.now() - this.since >= this.limits.retryMaxElapsedMs;
  }

  /** @returns the delay before the next attempt */
  add(): number {
    this.since ??= this.now();
    this.count += 1;
    return Math.min(this.limits.retryInitialMs * 2 ** (this.count - 1), this.limits.retryMaxMs);
  }

  /** Returns true once in a long span of failures. */
  takeReport(): boolean {
    if (!this.isLong || this.isReported) return false;
    this.isReported = true;
    return true;
  }

  clear(): void {
    this.count = 0;
    this.since = null;
    this.isReported = false;
  }
}

const resendsWithNewToken = 3;

interface Hold {
  readonly token: string;
  readonly since: number;
  isReported: boolean;
}

/** Pauses delivery after a refused token until the workspace has another one. */
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

  /** Returns false when the token was replaced during the request: retry at once. */
  begin(used: string, present: string | undefined): boolean {
    if (present !== used && this.newTokens < resendsWithNewToken) {
      this.newTokens += 1;
      return false;
    }
    this.hold = { token: used, since: this.now(), isReported: false };
    return true;
  }

  /** Returns false, and ends the hold, when the workspace has another token. */
  holds(token: string): boolean {
    if (this.hold?.token !== token) this.hold = null;
    return this.hold !== null;
  }

  /** Returns the duration of a long hold, once. */
  takeReport(): number | null {
    if (!this.hold || this.hold.isReported) return null;
    const pausedMs = this.now() - this.hold.since;
    if (pausedMs < this.reportAfterMs) return null;
    this.hold.isReported = true;
    return pausedMs;
  }

  /** Called after a successful request. */
  clear(): void {
    this.newTokens = 0;
  }
}

type RefusalDecision =
  /** The token is not valid. Wait for another one. */
  | 'hold'
  /** The chat accepts no more messages. */
  | 'close_chat'
  /** The uploaded content is missing. */
  | 'upload_again'
  /** The control plane cannot store the whole content. */
  | 'send_truncated'
  /** One message of the batch is invalid. Send each alone. */
  | 'one_by_one'
  /** The message is too large. Send a placeholder, which keeps the sequence. */
  | 'omit'
  | 'drop'
  /** Retry until `retryMaxElapsedMs`. */
  | 'retry';

type Refusal = Pick<CallbackRefused, 'status' | 'code' | 'message'>;

interface RefusedBatch {
  readonly count: number;
  readonly isOmitted: boolean;
  readonly awaitsUpload: boolean;
}

const byStatus: Readonly<Record<number, RefusalDecision>> = {
  401: 'hold',
  403: 'hold',
  404: 'close_chat',
  // The workspace has a newer generation. Its token will arrive, and its chats continue.
  410: 'hold',
};

const byCode: Readonly<Record<string, RefusalDecision>> = {
  SESSION_MESSAGE_LIMIT_EXCEEDED: 'close_chat',
  SESSION_CONTENT_LIMIT_EXCEEDED: 'send_truncated',
  CONTENT_NOT_STORED: 'upload_again',
};

/** Decides what to do with messages that the control plane refused. */
export function decideRefusal(refusal: Refusal, batch: RefusedBatch): RefusalDecision {
  const { status, code } = refusal;
  if (status === 400 || status === 413) return decideInvalid(refusal, batch);
  return byStatus[status] ?? byCode[code] ?? 'retry';
}

function decideInvalid({ status, code, message }: Refusal, batch: RefusedBatch): RefusalDecision {
  if (batch.awaitsUpload) return 'send_truncated';
  if (batch.count > 1) return 'one_by_one';
  const isTooLarge = status === 413 || /large|size|exceed|limit/i.test(`${code} ${message}`);
  return isTooLarge && !batch.isOmitted ? 'omit' : 'drop';
}
