import { type JWTPayload, jwtVerify } from 'jose';
import { tokenAlgorithm, tokenForm } from '../../../protocol/tokens.js';
import type { KeySet } from './key-set.js';

const clockToleranceSeconds = 5;
/** A token from further in the future was not issued by a control plane whose clock is right. */
const maxIssuedAheadSeconds = 60;
/** More than tabs that are open on one node; those that were verified longest ago make way. */
const maxKept = 500;

interface Kept {
  readonly payload: JWTPayload;
  /** Of the keys by which the signature was found good. */
  readonly edition: number;
}

class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

/**
 * What tokens say, once their signature is found good. Clients bring the same token with each request, and a signature
 * costs more than all else about a small one: it is checked once for each edition of the keys. Whether a token is in time
 * is looked at each time.
 */
export class VerifiedTokens {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly keys: Pick<KeySet, 'find' | 'edition'>,
    private readonly issuer: string,
  ) {}

  /** @throws KeysNotKnown, and whatever is wrong with the token */
  async payloadOf(token: string, audience: string, now: Date): Promise<JWTPayload> {
    if (!tokenForm.test(token)) throw new TokenRefused('The token has not the form of a signed token');
    const name = `${audience} ${token}`;
    const { edition } = this.keys;
    const kept = this.kept.get(name);
    if (kept?.edition === edition && isInTime(kept.payload, now)) return kept.payload;
    this.kept.delete(name);
    const { payload } = await jwtVerify(token, this.keys.find, {
      algorithms: [tokenAlgorithm],
      issuer: this.issuer,
      audience,
      requiredClaims: ['exp', 'iat'],
      clockTolerance: clockToleranceSeconds,
      currentDate: now,
    });
    if (!isInTime(payload, now)) throw new TokenRefused('The token was issued in the future');
    this.kept.set(name, { payload, edition });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= maxKept) break;
      this.kept.delete(oldest);
    }
    return payload;
  }
}

function isInTime({ exp = 0, nbf = 0, iat = 0 }: JWTPayload, now: Date): boolean {
  const seconds = Math.floor(now.getTime() / 1_000);
  return (
    exp > seconds - clockToleranceSeconds &&
    nbf <= seconds + clockToleranceSeconds &&
    iat <= seconds + maxIssuedAheadSeconds
  );
}
