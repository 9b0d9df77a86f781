import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import * as z from 'zod/mini';

/** The public half of a P-256 key, with the members of RFC 7638 in their order. */
const PublicJwk = z.object({ crv: z.string(), kty: z.string(), x: z.string(), y: z.string() });
type PublicJwk = z.infer<typeof PublicJwk>;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The key of an ACME account: it signs requests (ES256) and authorizes challenges. */
export class AccountKey {
  readonly jwk: PublicJwk;

  constructor(private readonly privateKey: KeyObject) {
    this.jwk = PublicJwk.parse(createPublicKey(privateKey).export({ format: 'jwk' }));
  }

  /** The answer to a challenge (RFC 8555, section 8.1). */
  authorizationOf(token: string): string {
    return `${token}.${createHash('sha256').update(JSON.stringify(this.jwk)).digest('base64url')}`;
  }

  /** A flattened JWS. A payload of null is a POST-as-GET. */
  sign(header: Readonly<Record<string, unknown>>, payload: unknown): string {
    const content = {
      protected: encoded({ alg: 'ES256', ...header }),
      payload: payload === null ? '' : encoded(payload),
    };
    const input = Buffer.from(`${content.protected}.${content.payload}`);
    const signature = sign('sha256', input, { key: this.privateKey, dsaEncoding: 'ieee-p1363' });
    return JSON.stringify({ ...content, signature: signature.toString('base64url') });
  }
}
