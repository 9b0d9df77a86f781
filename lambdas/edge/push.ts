import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { type ApplicationKey, applicationKeyOf } from '../domain/push/application-key.js';
import { readEnv } from '../shared/env.js';

const env = readEnv({ PUSH_SECRET_ARN: z.string() });
const secretsManager = new SecretsManagerClient({});

let kept: Promise<ApplicationKey> | undefined;

/** The key of the grant `push:key`. A new one would end all subscriptions: it is read once. */
export function pushApplicationKey(): Promise<ApplicationKey> {
  kept ??= read();
  kept.catch(() => {
    kept = undefined;
  });
  return kept;
}

async function read(): Promise<ApplicationKey> {
  const { SecretString } = await secretsManager.send(
    new GetSecretValueCommand({ SecretId: env.PUSH_SECRET_ARN }),
  );
  if (!SecretString) throw new Error('The secret of push messages is empty');
  return applicationKeyOf(SecretString);
}
