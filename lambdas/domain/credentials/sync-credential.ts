import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import {
  type Credential,
  credentialContext,
  credentialKey,
  credentialReference,
  maskKey,
} from './credential.js';
import { type CredentialUse, credentialUseKey } from './credential-use.js';

export interface RenewedCredential {
  readonly use: CredentialUse;
  readonly token: string;
  readonly now: Date;
}

/**
 * Keeps what an agent's own sign-in renewed while it worked. Only a sign-in is renewed, never a key, and never what all of
 * the deployment share; and only by the session that was given just this one, so that an agent that ends does not bring
 * back what its owner has replaced meanwhile. One table call.
 */
export async function syncCredential(
  { table, secrets }: { readonly table: Table; readonly secrets: SecretBox },
  credential: Credential,
  { use, token, now }: RenewedCredential,
): Promise<boolean> {
  const { owner, provider, credentialKind, generation } = credential;
  if (credentialKind !== 'oauth-token' || owner.kind === 'platform') return false;
  if (use.credentialReference !== credentialReference(credential) || use.generation !== generation)
    return false;
  const context = credentialContext(owner, provider);
  if ((await secrets.open(credential.token, context)) === token) return false;
  const sealed = await secrets.seal(token, context);
  const given = { ':generation': generation, ':one': 1 };
  const change = {
    TableName: table.name,
    ConditionExpression: 'generation = :generation',
    ExpressionAttributeValues: given,
  };
  try {
    await table.client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              ...change,
              Key: credentialKey(owner, provider),
              UpdateExpression:
                'SET #token = :token, maskedKey = :masked, updatedAt = :now, generation = generation + :one',
              ExpressionAttributeNames: { '#token': 'token' },
              ExpressionAttributeValues: {
                ...given,
                ':token': sealed,
                ':masked': maskKey(token),
                ':now': now.toISOString(),
              },
            },
          },
          {
            Update: {
              ...change,
              Key: credentialUseKey(use.workspaceId, use.agentSessionId),
              UpdateExpression: 'SET generation = generation + :one',
            },
          },
        ],
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException) return false;
    throw error;
  }
}
