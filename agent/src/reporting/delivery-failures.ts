import type { CallbackRefused } from '../control-plane/callback-errors.js';

export interface FailureLimits {
  readonly retryInitialMs: number;
  readonly retryMaxMs: number;
  /** After this a failure is reported, and a refusal without a known reason final. */
  readonly retryMaxElapsedMs: number;
}

/** Failures in a row, and how long that has been going on. */
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

  /** @returns how long to wait before the next attempt */
  add(): number {
    this.since ??= this.now();
    this.count += 1;
    return Math.min(this.limits.retryInitialMs * 2 ** (this.count - 1), this.limits.retryMaxMs);
  }

  /** True once in a span that has become long. */
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

type RefusalDecision =
  /** The token is not good: nothing is sent with it any more, and nothing is lost. */
  | 'hold'
  /** This chat takes nothing more. */
  | 'close_chat'
  /** What was uploaded of it is not there. */
  | 'upload_again'
  /** There is no place for all that it says. */
  | 'send_truncated'
  /** One of them is to blame: each goes alone. */
  | 'one_by_one'
  /** It is too large for the way: a word in its place keeps the order visible. */
  | 'omit'
  | 'drop'
  /** For a while. */
  | 'retry';

const byCode: Readonly<Record<string, RefusalDecision>> = {
  SESSION_MESSAGE_LIMIT_EXCEEDED: 'close_chat',
  SESSION_CONTENT_LIMIT_EXCEEDED: 'send_truncated',
  CONTENT_NOT_STORED: 'upload_again',
};

/** What becomes of messages that the control plane did not take. */
export function decideRefusal(
  { status, code, message }: Pick<CallbackRefused, 'status' | 'code' | 'message'>,
  batch: { readonly count: number; readonly isOmitted: boolean; readonly awaitsUpload: boolean },
): RefusalDecision {
  // 410: the workspace has another life, whose token is on its way here; its chats go on with it.
  if (status === 401 || status === 403 || status === 410) return 'hold';
  if (status === 404) return 'close_chat';
  if (status !== 400 && status !== 413) return byCode[code] ?? 'retry';
  if (batch.awaitsUpload) return 'send_truncated';
  if (batch.count > 1) return 'one_by_one';
  const isTooLarge = status === 413 || /large|size|exceed|limit/i.test(`${code} ${message}`);
  return isTooLarge && !batch.isOmitted ? 'omit' : 'drop';
}
