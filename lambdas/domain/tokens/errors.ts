import { Forbidden, Unauthenticated } from '../../shared/errors.js';

/**
 * The answer does not say whether the token is forged, expired, of another kind or of another
 * issuer.
 */
export class InvalidToken extends Unauthenticated {
  override readonly name = 'InvalidToken';

  constructor(options?: ErrorOptions) {
    super('The token is invalid or has expired', { ...options, code: 'INVALID_TOKEN' });
  }
}

/** A callback of a node without a valid callback token. */
export class NodeCallbackUnauthorized extends Unauthenticated {
  override readonly name = 'NodeCallbackUnauthorized';

  constructor(options?: ErrorOptions) {
    super('A valid callback token is required', { ...options, code: 'NODE_CALLBACK_UNAUTHORIZED' });
  }
}

/** The callback token is valid, but of another node or workspace than the one in the path. */
export const nodeCallbackForbidden = () =>
  new Forbidden('The callback token belongs to another node or workspace', {
    code: 'NODE_CALLBACK_FORBIDDEN',
  });
