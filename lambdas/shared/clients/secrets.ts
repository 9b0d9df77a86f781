import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

const client = new SecretsManagerClient({});

/** The text of a secret; undefined when it has none. */
export const readSecret = async (SecretId: string): Promise<string | undefined> =>
  (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
