import { DomainError } from '../../shared/errors.js';

/** Forged, expired, of another kind or of another issuer: which of them is not told. */
export class InvalidToken extends DomainError {
  override readonly name = 'InvalidToken';
  readonly kind = 'unauthenticated';
  readonly code = 'INVALID_TOKEN';

  constructor(options?: ErrorOptions) {
    super('The token is invalid or has expired', options);
  }
}

/** A node's callback without a valid callback token. */
export class NodeCallbackUnauthorized extends DomainError {
  override readonly name = 'NodeCallbackUnauthorized';
  readonly kind = 'unauthenticated';
  readonly code = 'NODE_CALLBACK_UNAUTHORIZED';

  constructor(options?: ErrorOptions) {
    super('A valid callback token is required', options);
  }
}

/** A valid callback token, but of another node or workspace than the one in the path. */
export class NodeCallbackForbidden extends DomainError {
  override readonly name = 'NodeCallbackForbidden';
  readonly kind = 'forbidden';
  readonly code = 'NODE_CALLBACK_FORBIDDEN';

  constructor() {
    super('The callback token belongs to another node or workspace');
  }
}
