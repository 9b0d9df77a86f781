import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { calculateJwkThumbprint } from 'jose';
import type { PublicJwk, SigningKeys } from './signing-keys.js';

/**
 * Ed25519 keys in KMS; the first one signs. The private halves never leave KMS. A public half never
 * changes: each container fetches it once.
 */
export class KmsSigningKeys implements SigningKeys {
  private published: Promise<readonly PublicJwk[]> | undefined;

  constructor(
    private readonly client: KMSClient,
    private readonly keyIds: readonly string[],
    readonly issuer: string,
  ) {}

  publicKeys(): Promise<readonly PublicJwk[]> {
    this.published ??= Promise.all(this.keyIds.map((keyId) => this.publicKey(keyId))).catch((error) => {
      // A failure is not remembered: the next request asks again.
      this.published = undefined;
      throw error;
    });
    return this.published;
  }

  async signingKeyId(): Promise<string> {
    const [first] = await this.publicKeys();
    if (!first) throw new Error('No signing key is configured');
    return first.kid;
  }

  async sign(message: Uint8Array): Promise<Uint8Array> {
    const { Signature } = await this.client.send(
      new SignCommand({
        KeyId: this.keyIds[0],
        Message: message,
        MessageType: 'RAW',
        SigningAlgorithm: 'ED25519_SHA_512',
      }),
    );
    if (!Signature) throw new Error('KMS gave no signature');
    return Signature;
  }

  private async publicKey(keyId: string): Promise<PublicJwk> {
    const { PublicKey } = await this.client.send(new GetPublicKeyCommand({ KeyId: keyId }));
    if (!PublicKey) throw new Error(`KMS gave no public key for ${keyId}`);
    const { x } = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' }).export({
      format: 'jwk',
    });
    if (!x) throw new Error(`The key ${keyId} is not an Ed25519 key`);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
    return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' };
  }
}
