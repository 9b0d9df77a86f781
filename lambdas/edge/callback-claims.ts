import { InvalidToken, NodeCallbackUnauthorized } from '../domain/tokens/errors.js';
import type { Claims } from '../domain/tokens/issue-token.js';
import { verifyToken } from '../domain/tokens/verify-token.js';
import type { SigningKeys } from '../shared/signing-keys.js';
import { bearerOf } from './bearer-of.js';
import type { Call } from './route.js';

/**
 * The claims of the callback token that the request carries as a bearer.
 *
 * @throws {NodeCallbackUnauthorized}
 */
export async function callbackClaims<Kind extends 'nodeCallback' | 'workspaceCallback'>(
  keys: SigningKeys,
  kind: Kind,
  call: Pick<Call, 'request' | 'now'>,
): Promise<Claims<Kind>> {
  const token = bearerOf(call);
  if (!token) throw new NodeCallbackUnauthorized();
  try {
    return await verifyToken(keys, kind, { token, now: call.now });
  } catch (error) {
    if (error instanceof InvalidToken) throw new NodeCallbackUnauthorized({ cause: error.cause });
    throw error;
  }
}
