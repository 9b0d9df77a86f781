import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { PublicJwk } from '../../../lambdas/shared/signing-keys.js';

export type Claims = Readonly<Record<string, unknown>>;

/** A key of a control plane, and what it would never sign. */
export interface Issuer {
  readonly privateKey: KeyObject;
  readonly jwk: PublicJwk;
}

export async function newIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  const kid = await calculateJwkThumbprint(jwk);
  return { privateKey, jwk: { ...jwk, kid, alg: 'EdDSA', use: 'sig' } };
}

export const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A compact JWS of these very texts: JSON that a library would never write is possible too. */
export function signText(header: string, payload: string, key: KeyObject): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

/** Signed rightly, whatever it claims. */
export const signClaims = ({ privateKey, jwk }: Issuer, claims: Claims | string): string =>
  signText(
    JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid: jwk.kid }),
    typeof claims === 'string' ? claims : JSON.stringify(claims),
    privateKey,
  );
