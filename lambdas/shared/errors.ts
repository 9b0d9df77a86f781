/** What kind of failure it is; the edge maps it to an HTTP status in one table. */
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
  /** Where in the request: `body.branch`, `query.limit`, `path.nodeId`. */
  readonly field: string;
  readonly message: string;
}

/**
 * An outcome that a caller can be told of. `code` is stable and upper-case; the message is for people and may be
 * shown to them. Whatever is not a DomainError is a bug and says nothing to the outside.
 */
export abstract class DomainError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;
  readonly details: readonly FieldError[] | undefined = undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined = undefined;
}

/** The request is malformed; `details` names the fields. */
export class InvalidRequest extends DomainError {
  override readonly name = 'InvalidRequest';
  readonly kind = 'invalid';
  readonly code: string;
  override readonly details: readonly FieldError[];

  constructor(message: string, details: readonly FieldError[] = [], code = 'BAD_REQUEST') {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export class Unauthenticated extends DomainError {
  override readonly name = 'Unauthenticated';
  readonly kind = 'unauthenticated';
  readonly code = 'UNAUTHORIZED';

  constructor(message = 'Sign in first') {
    super(message);
  }
}

export class Forbidden extends DomainError {
  override readonly name = 'Forbidden';
  readonly kind = 'forbidden';
  readonly code = 'FORBIDDEN';
}

/** The request came to the API's own address instead of the front address. */
export class OriginRequired extends DomainError {
  override readonly name = 'OriginRequired';
  readonly kind = 'forbidden';
  readonly code = 'ORIGIN_REQUIRED';

  constructor() {
    super('Call this API at the front address of the deployment, not at API Gateway');
  }
}

/** There is no such record, or it is not the caller's to know of. */
export class NotFound extends DomainError {
  override readonly name: string = 'NotFound';
  readonly kind = 'not_found';
  readonly code = 'NOT_FOUND';

  constructor(what: string) {
    super(`${what} not found`);
  }
}

/** The path exists, for other methods. */
export class MethodNotAllowed extends DomainError {
  override readonly name = 'MethodNotAllowed';
  readonly kind = 'method_not_allowed';
  readonly code = 'METHOD_NOT_ALLOWED';

  constructor(readonly allowed: readonly string[]) {
    super(`Only ${allowed.join(', ')} can be done here`);
  }
}

export class Conflict extends DomainError {
  override readonly name: string = 'Conflict';
  readonly kind = 'conflict';
  readonly code: string = 'CONFLICT';
}

export class Unavailable extends DomainError {
  override readonly name: string = 'Unavailable';
  readonly kind = 'unavailable';
  readonly code: string = 'SERVICE_UNAVAILABLE';
}

/** The request's body is over the limit. */
export class TooLarge extends DomainError {
  override readonly name = 'TooLarge';
  readonly kind = 'too_large';
  readonly code = 'PAYLOAD_TOO_LARGE';
}

export class UnsupportedMedia extends DomainError {
  override readonly name = 'UnsupportedMedia';
  readonly kind = 'unsupported_media';
  readonly code = 'UNSUPPORTED_MEDIA_TYPE';
}

/** It was there and never comes back: a callback of an older generation, for one. */
export class Gone extends DomainError {
  override readonly name: string = 'Gone';
  readonly kind = 'gone';
  readonly code: string = 'GONE';
}

/** One fixed window of a rate limit, as its reply headers tell it. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the window ends. */
  readonly resetAt: number;
}

/** The caller has as many requests of this kind in progress as it may have. */
export class TooManyInFlight extends DomainError {
  override readonly name = 'TooManyInFlight';
  readonly kind = 'rate_limited';
  readonly code = 'TOO_MANY_REQUESTS_IN_FLIGHT';
  override readonly retryAfter = 1;

  constructor(limit: number) {
    super(
      `You have ${limit} requests of this kind in progress (limit ${limit}). Wait until one of them ends.`,
    );
  }
}

export class RateLimited extends DomainError {
  override readonly name = 'RateLimited';
  readonly kind = 'rate_limited';
  readonly code = 'RATE_LIMIT_EXCEEDED';
  override readonly retryAfter: number;

  constructor(
    readonly window: RateWindow,
    now: Date,
  ) {
    super('Too many requests; try again later');
    this.retryAfter = Math.max(1, Math.ceil(window.resetAt - now.getTime() / 1000));
  }
}
