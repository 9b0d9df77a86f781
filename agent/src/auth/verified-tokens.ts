import { type JWTPayload, jwtVerify } from 'jose';
import { tokenAlgorithm, tokenForm } from '../../../protocol/tokens.js';
import type { KeySet } from './key-set.js';

const clockToleranceSeconds = 5;
/** A token issued further in the future is refused. */
const maxIssuedAheadSeconds = 60;
/** More than the open tabs of one node. The oldest entries are removed. */
const maxKept = 500;

interface Kept {
  readonly payload: JWTPayload;
  /** The edition of the key set that verified the signature. */
  readonly edition: number;
}

class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

/**
 * Verifies tokens and caches their payloads. Clients send the same token with each request, and
 * verifying a signature costs more than the rest of a small request, so each signature is verified
 * once for each key set. Expiry is checked every time.
 */
export class VerifiedTokens {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly keys: Pick<KeySet, 'find' | 'edition'>,
    private readonly issuer: string,
  ) {}

  /** @throws KeysNotKnown, or an error that names the fault of the token */
  async payloadOf(token: string, audience: string, now: Date): Promise<JWTPayload> {
    if (!tokenForm.test(token)) throw new TokenRefused('The token is not a signed JWT');
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
