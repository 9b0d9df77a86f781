import { DomainError, NotFound } from '../../shared/errors.js';

/** It did not answer, not in time, or with a failure of its own. */
export class CodeHostUnavailable extends DomainError {
  override readonly name = 'CodeHostUnavailable';
  readonly kind = 'unavailable';
  readonly code = 'CODE_HOST_UNAVAILABLE';
  override readonly retryAfter = 10;

  constructor(options?: ErrorOptions) {
    super('The code host does not answer; try again shortly', options);
  }
}

/** The person, or the installation, may no longer do this there: the grant was revoked or narrowed. */
export class CodeHostAccessLost extends DomainError {
  override readonly name: string = 'CodeHostAccessLost';
  readonly kind = 'forbidden';
  readonly code = 'CODE_HOST_ACCESS_LOST';

  constructor(message = 'The code host refuses access; sign in again, or check the installation there') {
    super(message);
  }
}

/** The owner of a workspace cannot reach its repository any more. */
export class RepositoryAccessLost extends CodeHostAccessLost {
  override readonly name = 'RepositoryAccessLost';

  constructor(repository: string) {
    super(
      `You have no access to ${repository} on the code host: it was deleted or renamed, or your access was withdrawn. ` +
        'Ask its owner for access, then try again.',
    );
  }
}

/** What was asked for is not there, or not for this token's eyes. */
export class CodeHostNotFound extends NotFound {}
