import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import type { SecretBox } from '../secrets/sealed-secret.js';
import {
  Credential,
  type CredentialKind,
  type CredentialOwner,
  credentialContext,
  credentialKey,
  maskKey,
} from './credential.js';
import type { CredentialType, Provider } from './providers.js';

export interface NewCredential {
  /** Taken when there is none of this owner and provider yet. */
  readonly credentialId: string;
  readonly owner: CredentialOwner;
  readonly provider: Provider;
  readonly credentialType: CredentialType;
  readonly credentialKind: CredentialKind;
  readonly token: string;
  readonly storedBy: string;
}

/** Stores the owner's credential for this provider, in the place of an older one. One table call. */
export async function storeCredential(
  { table, secrets }: { readonly table: Table; readonly secrets: SecretBox },
  wanted: NewCredential,
  now: Date,
): Promise<{ readonly credential: Credential; readonly isNew: boolean }> {
  const { owner, provider, credentialId, credentialType, credentialKind, storedBy } = wanted;
  const token = await secrets.seal(wanted.token, credentialContext(owner, provider));
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: credentialKey(owner, provider),
      UpdateExpression: `SET credentialId = if_not_exists(credentialId, :id), createdAt = if_not_exists(createdAt, :now),
        #entity = :entity, schemaVersion = :one, #owner = :owner, provider = :provider, credentialType = :type,
        credentialKind = :kind, #token = :token, maskedKey = :masked, storedBy = :by, updatedAt = :now
        ADD generation :one`,
      ExpressionAttributeNames: { '#entity': 'entity', '#owner': 'owner', '#token': 'token' },
      ExpressionAttributeValues: {
        ':id': credentialId,
        ':now': now.toISOString(),
        ':entity': 'credential',
        ':owner': owner,
        ':provider': provider,
        ':type': credentialType,
        ':kind': credentialKind,
        ':token': token,
        ':masked': maskKey(wanted.token),
        ':by': storedBy,
        ':one': 1,
      },
      ReturnValues: 'ALL_NEW',
    }),
  );
  const credential = Credential.parse(Attributes);
  return { credential, isNew: credential.credentialId === credentialId };
}
