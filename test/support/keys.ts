import { CreateKeyCommand, type CreateKeyCommandInput, KMSClient } from '@aws-sdk/client-kms';

/** An Ed25519 key in KMS, as the signing keys of a deployment are. */
export const createSigningKey = (): Promise<string> =>
  createKey({ KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' });

export const createDataKey = (): Promise<string> => createKey({ KeySpec: 'SYMMETRIC_DEFAULT' });

async function createKey(input: CreateKeyCommandInput): Promise<string> {
  const { KeyMetadata } = await new KMSClient({}).send(new CreateKeyCommand(input));
  if (!KeyMetadata?.Arn) throw new Error('KMS made no key');
  return KeyMetadata.Arn;
}
