/** The edge maps each kind to an HTTP status in one table. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'too_large'
  | 'unsupported_media'
  | 'rate_limited'
  | 'unavailable';

export interface FieldError {
  /** `branch`, `environment.PATH`. The edge adds the part of the request: `body.branch`. */
  readonly field: string;
  readonly message: string;
  /** The caller's own record that has the value already. */
  readonly existingId?: string | undefined;
}

interface ErrorParts extends ErrorOptions {
  /** Stable and upper-case; without it, the code of the kind. */
  readonly code?: string | undefined;
  readonly details?: readonly FieldError[] | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter?: number | undefined;
  readonly data?: FailureData | undefined;
}

/** Further fields of a tool's refusal. */
type FailureData = Readonly<Record<string, string | boolean>>;

/**
 * An expected failure: the caller receives its code and message. Any other error is a bug and is
 * answered as an internal error.
 *
 * A domain lists its errors in its `errors.ts`. An error that nothing catches is a function of one
 * or two lines:
 *
 *     export const lastOwner = () =>
 *       new Conflict('Transfer the ownership of the project first.', { code: 'LAST_OWNER' });
 *
 * An error that code catches (`instanceof`) or that a state machine matches (`name`) is a class.
 */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: string;
  readonly details: readonly FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  readonly data: FailureData | undefined;

  constructor(
    readonly kind: ErrorKind,
    message: string,
    { code, details, retryAfter, data, ...options }: ErrorParts & { readonly code: string },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
    this.data = data;
  }
}

/** The request is malformed; `details` names the fields. */
export class InvalidRequest extends DomainError {
  override readonly name: string = 'InvalidRequest';

  constructor(message: string, details: readonly FieldError[] = [], code = 'BAD_REQUEST') {
    super('invalid', message, { code, details });
  }
}

export class Unauthenticated extends DomainError {
  override readonly name: string = 'Unauthenticated';

  constructor(message = 'Sign in first', parts: ErrorParts = {}) {
    super('unauthenticated', message, { ...parts, code: parts.code ?? 'UNAUTHORIZED' });
  }
}

export class Forbidden extends DomainError {
  override readonly name: string = 'Forbidden';

  constructor(message: string, parts: ErrorParts = {}) {
    super('forbidden', message, { ...parts, code: parts.code ?? 'FORBIDDEN' });
  }
}

/** The record does not exist, or its existence is private to others. */
export class NotFound extends DomainError {
  override readonly name: string = 'NotFound';

  constructor(record: string, parts: ErrorParts = {}) {
    super('not_found', `${record} not found`, { ...parts, code: parts.code ?? 'NOT_FOUND' });
  }
}

/** The path exists, for other methods. */
export class MethodNotAllowed extends DomainError {
  override readonly name = 'MethodNotAllowed';

  constructor(readonly allowed: readonly string[]) {
    super('method_not_allowed', `This path allows only ${allowed.join(', ')}`, {
      code: 'METHOD_NOT_ALLOWED',
    });
  }
}

export class Conflict extends DomainError {
  override readonly name: string = 'Conflict';

  constructor(message: string, parts: ErrorParts = {}) {
    super('conflict', message, { ...parts, code: parts.code ?? 'CONFLICT' });
  }
}

/** The record existed and does not come back, such as an earlier generation of a workspace. */
export class Gone extends DomainError {
  override readonly name: string = 'Gone';

  constructor(message: string, parts: ErrorParts = {}) {
    super('gone', message, { ...parts, code: parts.code ?? 'GONE' });
  }
}

export class Unavailable extends DomainError {
  override readonly name: string = 'Unavailable';

  constructor(message: string, parts: ErrorParts = {}) {
    super('unavailable', message, { ...parts, code: parts.code ?? 'SERVICE_UNAVAILABLE' });
  }
}

export const originRequired = () =>
  new Forbidden('Call this API at the front address of the deployment, not at API Gateway', {
    code: 'ORIGIN_REQUIRED',
  });

export const tooLarge = (message: string) =>
  new DomainError('too_large', message, { code: 'PAYLOAD_TOO_LARGE' });

export const unsupportedMedia = (message: string) =>
  new DomainError('unsupported_media', message, { code: 'UNSUPPORTED_MEDIA_TYPE' });

/** The caller has all requests of this kind in progress that the limit allows. */
export const tooManyInFlight = (limit: number) =>
  new DomainError(
    'rate_limited',
    `You have ${limit} requests of this kind in progress (limit ${limit}). Wait until one of them ends.`,
    { code: 'TOO_MANY_REQUESTS_IN_FLIGHT', retryAfter: 1 },
  );

/** One fixed window of a rate limit, as the headers of a reply show it. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the window ends. */
  readonly resetAt: number;
}

export class RateLimited extends DomainError {
  override readonly name = 'RateLimited';

  constructor(
    readonly window: RateWindow,
    now: Date,
  ) {
    super('rate_limited', 'Too many requests; try again later', {
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfter: Math.max(1, Math.ceil(window.resetAt - now.getTime() / 1000)),
    });
  }
}
