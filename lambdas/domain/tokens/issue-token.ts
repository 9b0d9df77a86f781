import { tokenAlgorithm } from '../../../protocol/tokens.js';
import type { SigningKeys } from '../../shared/signing-keys.js';
import { audienceOf, lifetimeOf, type OwnClaims, type TokenKind } from './token-kinds.js';

export interface IssuedToken {
  readonly token: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs a token of one kind with the newest key. It lives as long as its kind does, counted from `now`. */
export async function issueToken<Kind extends TokenKind>(
  keys: SigningKeys,
  kind: Kind,
  { claims, now }: { readonly claims: OwnClaims<Kind>; readonly now: Date },
): Promise<IssuedToken> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const expiresAt = issuedAt + lifetimeOf(kind);
  const header = { alg: tokenAlgorithm, typ: 'JWT', kid: await keys.signingKeyId() };
  const payload = { ...claims, iss: keys.issuer, aud: audienceOf(kind), iat: issuedAt, exp: expiresAt };

  // Built by hand because the private key stays in KMS, and jose signs only with a key it holds.
  const signingInput = `${encode(header)}.${encode(payload)}`;
  const signature = await keys.sign(Buffer.from(signingInput));
  return { token: `${signingInput}.${Buffer.from(signature).toString('base64url')}`, expiresAt };
}
