import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import { tokenAlgorithm } from '../../../protocol/tokens.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import { InvalidToken } from './errors.js';
import { audienceOf, type Claims, claimsOf, type TokenKind } from './token-kinds.js';

/** The part of the keys that verification needs. */
export type PublishedKeys = Pick<SigningKeys, 'issuer' | 'publicKeys'>;

/**
 * The claims of a token of this kind, if a published key signed it, this control plane issued it and it has not
 * expired.
 *
 * @throws {InvalidToken}
 */
export async function verifyToken<Kind extends TokenKind>(
  keys: PublishedKeys,
  kind: Kind,
  { token, now }: { readonly token: string; readonly now: Date },
): Promise<Claims<Kind>> {
  const jwks = createLocalJWKSet({ keys: [...(await keys.publicKeys())] });
  try {
    const { payload } = await jwtVerify(token, jwks, {
      algorithms: [tokenAlgorithm],
      issuer: keys.issuer,
      audience: audienceOf(kind),
      currentDate: now,
      requiredClaims: ['sub', 'iat', 'exp'],
    });
    const claims = claimsOf[kind].safeParse(payload);
    if (!claims.success) throw new InvalidToken({ cause: claims.error });
    // The union of schemas, indexed by a type parameter, is more than the checker follows.
    return claims.data as Claims<Kind>;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new InvalidToken({ cause: error });
    throw error;
  }
}
