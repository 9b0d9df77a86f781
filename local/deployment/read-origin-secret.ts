import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Outputs } from './outputs.js';

/** The value by which the APIs of this deployment know their front. */
export async function readOriginSecret(
  secrets: SecretsManagerClient,
  { OriginSecretName }: Outputs,
): Promise<string> {
  if (OriginSecretName === undefined) throw new Error('The deployment names no origin secret');
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: OriginSecretName }));
  if (!SecretString) throw new Error(`The secret ${OriginSecretName} has no value`);
  return SecretString;
}
