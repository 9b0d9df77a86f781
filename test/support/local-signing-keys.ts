import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { PublicJwk, SigningKeys } from '../../lambdas/shared/signing-keys.js';

/** One Ed25519 key in memory, for tests that sign without KMS. */
export class LocalSigningKeys implements SigningKeys {
  readonly issuer = 'https://berth.example';

  private constructor(
    readonly jwk: PublicJwk,
    readonly privateKey: KeyObject,
  ) {}

  static async create(): Promise<LocalSigningKeys> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
    const kid = await calculateJwkThumbprint(jwk);
    return new LocalSigningKeys({ ...jwk, kid, alg: 'EdDSA', use: 'sig' }, privateKey);
  }

  async publicKeys(): Promise<readonly PublicJwk[]> {
    return [this.jwk];
  }

  async signingKeyId(): Promise<string> {
    return this.jwk.kid;
  }

  async sign(message: Uint8Array): Promise<Uint8Array> {
    return sign(null, message, this.privateKey);
  }
}
