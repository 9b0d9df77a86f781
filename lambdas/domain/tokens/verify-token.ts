import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import { tokenAlgorithm, tokenForm } from '../../../protocol/tokens.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import { InvalidToken } from './errors.js';
import { audienceOf, type Claims, claimsOf, lifetimeOf, type TokenKind } from './issue-token.js';

/** Clocks of functions differ by less. */
const maxIssuedAheadSeconds = 60;

/** The part of the keys that verification needs. */
type PublishedKeys = Pick<SigningKeys, 'issuer' | 'publicKeys'>;

/**
 * Returns the claims of a token of this kind. A published key must have signed it, and it must be
 * valid at `now`.
 *
 * @throws {InvalidToken}
 */
export async function verifyToken<Kind extends TokenKind>(
  keys: PublishedKeys,
  kind: Kind,
  { token, now }: { readonly token: string; readonly now: Date },
): Promise<Claims<Kind>> {
  if (!tokenForm.test(token)) throw new InvalidToken();
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
    if (!isIssuedAsOurs(claims.data, kind, now)) throw new InvalidToken();
    // The union of schemas, indexed by a type parameter, is more than the checker follows.
    return claims.data as Claims<Kind>;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new InvalidToken({ cause: error });
    throw error;
  }
}

/** `issueToken` issues no token from the future, and none with a longer lifetime than its kind. */
function isIssuedAsOurs(
  { iat, exp }: { readonly iat: number; readonly exp: number },
  kind: TokenKind,
  now: Date,
): boolean {
  return iat <= now.getTime() / 1_000 + maxIssuedAheadSeconds && exp - iat <= lifetimeOf(kind);
}
