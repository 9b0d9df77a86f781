export interface FailingField {
  /** Where in the request: `body.branch`, `query.limit`, `path.nodeId`. */
  readonly field: string;
  readonly message: string;
  /** Your own record that has the value already. */
  readonly existingId?: string;
}

/** The API said no; `code` is stable, the message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** Name it when you report a problem. */
  readonly requestId: string | null;
  readonly details: readonly FailingField[];
  /** Seconds after which a repeat makes sense, where the API says so. */
  readonly retryAfter: number | null;

  constructor(response: Response, body: unknown) {
    const said = isError(body) ? body : {};
    super(said.message ?? `The API answered ${response.status}`);
    this.status = response.status;
    this.code = said.error ?? 'UNEXPECTED_ANSWER';
    this.requestId = said.requestId ?? response.headers.get('x-request-id');
    this.details = said.details ?? [];
    const retryAfter = response.headers.get('retry-after');
    this.retryAfter = retryAfter === null ? null : Number(retryAfter);
  }
}

interface SaidError {
  readonly error?: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly details?: readonly FailingField[];
}

const isError = (body: unknown): body is SaidError =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
