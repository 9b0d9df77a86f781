interface RefusedAnswer {
  readonly status: number;
  readonly code: string;
  /** The control plane's message for people; may be empty. */
  readonly reason: string;
}

/** The control plane refused the request. Repeating it does not help. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused';

  readonly status: number;
  readonly code: string;
  readonly reason: string;

  constructor(
    readonly path: string,
    answer: RefusedAnswer,
  ) {
    super(answered(path, answer));
    this.status = answer.status;
    this.code = answer.code;
    this.reason = answer.reason;
  }

  /** For ready and heartbeat: the control plane does not know this node. */
  get isTerminalForNode(): boolean {
    return [401, 403, 404, 410].includes(this.status);
  }
}

/** No response, or a transient failure. A later attempt may succeed. */
export class CallbackUnavailable extends Error {
  override readonly name = 'CallbackUnavailable';
  /** The control plane's message for people; may be empty. */
  readonly reason: string;
  /** Earlier attempts are refused too. */
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

/** All callbacks have stopped: the control plane does not know this node. */
export class CallbacksStopped extends Error {
  override readonly name = 'CallbacksStopped';
}

/** The delay that the control plane requested with this failure. */
export const retryAfterMsOf = (error: unknown): number =>
  error instanceof CallbackUnavailable ? error.retryAfterMs : 0;

export function isUnavailable(error: unknown): boolean {
  return error instanceof CallbackUnavailable;
}

export const answered = (path: string, { status, code, reason }: RefusedAnswer): string =>
  `${path} answered ${status}${code ? ` ${code}` : ''}${reason ? `: ${reason}` : ''}`;
