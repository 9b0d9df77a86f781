/** The control plane was asked and said no: asking again says no again. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused';

  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency, named where it is passed
  constructor(
    readonly path: string,
    readonly status: number,
    readonly code: string,
    /** What the control plane says to people; may be empty. */
    readonly reason: string,
  ) {
    super(answered(path, { status, code, reason }));
  }

  /** Answers to a node's own ready or heartbeat that mean: this node is not, or no longer, one of ours. */
  get isTerminalForNode(): boolean {
    return [401, 403, 404, 410].includes(this.status);
  }
}

/** No answer, or one that says nothing about the question: later may be better. */
export class CallbackUnavailable extends Error {
  override readonly name = 'CallbackUnavailable';
  /** What the control plane says to people; may be empty. */
  readonly reason: string;
  /** Before it another attempt is refused as well. */
  readonly retryAfterMs: number;

  constructor(message: string, options: UnavailableOptions = {}) {
    super(message, options);
    this.reason = options.reason ?? '';
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

interface UnavailableOptions extends ErrorOptions {
  readonly reason?: string;
  readonly retryAfterMs?: number;
}

/** The control plane has said that this node is none of its own: nothing is sent any more. */
export class CallbacksStopped extends Error {
  override readonly name = 'CallbacksStopped';
}

/** How long the control plane wants to be left alone after this failure. */
export const retryAfterMsOf = (error: unknown): number =>
  error instanceof CallbackUnavailable ? error.retryAfterMs : 0;

export function isUnavailable(error: unknown): boolean {
  return error instanceof CallbackUnavailable;
}

export const answered = (
  path: string,
  { status, code, reason }: Readonly<Pick<CallbackRefused, 'status' | 'code' | 'reason'>>,
): string => `${path} answered ${status}${code ? ` ${code}` : ''}${reason ? `: ${reason}` : ''}`;
