import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';

interface DataKey {
  readonly plain: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Data keys for envelope encryption, each bound by KMS to its encryption context. */
export class KmsDataKeys {
  constructor(
    private readonly client: KMSClient,
    private readonly keyId: string,
  ) {}

  async create(context: Record<string, string>): Promise<DataKey> {
    const { Plaintext, CiphertextBlob } = await this.client.send(
      new GenerateDataKeyCommand({ KeyId: this.keyId, KeySpec: 'AES_256', EncryptionContext: context }),
    );
    if (!Plaintext || !CiphertextBlob) throw new Error('KMS made no data key');
    return { plain: Plaintext, sealed: CiphertextBlob };
  }

  async open(sealed: Uint8Array, context: Record<string, string>): Promise<Uint8Array> {
    const { Plaintext } = await this.client.send(
      new DecryptCommand({ KeyId: this.keyId, CiphertextBlob: sealed, EncryptionContext: context }),
    );
    if (!Plaintext) throw new Error('KMS opened no data key');
    return Plaintext;
  }
}
