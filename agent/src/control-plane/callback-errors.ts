/** The control plane refused the request. Repeating it does not help. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused';

  // biome-ignore lint/complexity/useMaxParams: each parameter is one dependency
  constructor(
    readonly path: string,
    readonly status: number,
    readonly code: string,
    /** The control plane's message for people; may be empty. */
    readonly reason: string,
  ) {
    super(answered(path, { status, code, reason }));
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

export const answered = (
  path: string,
  { status, code, reason }: Readonly<Pick<CallbackRefused, 'status' | 'code' | 'reason'>>,
): string => `${path} answered ${status}${code ? ` ${code}` : ''}${reason ? `: ${reason}` : ''}`;
