import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import type { CredentialType, Provider } from '../records/credentials/credential.js';
import {
  Credential,
  type CredentialKind,
  type CredentialOwner,
  credentialContext,
  credentialKey,
  credentialPrefix,
  credentialsOf,
  maskKey,
} from '../records/credentials/credential.js';
import type { SecretBox } from '../secrets/sealed-secret.js';

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

/** Stores the credential of an owner for a provider and replaces an earlier one. One table call. */
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

/** One table call. */
export async function findCredential(
  table: Table,
  owner: CredentialOwner,
  provider: string,
): Promise<Credential | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: credentialKey(owner, provider), ConsistentRead: true }),
  );
  return Item && Credential.parse(Item);
}

/** All credentials of one owner, at most one a provider. One table call. */
export async function listCredentials(table: Table, owner: CredentialOwner): Promise<Credential[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': credentialsOf(owner), ':prefix': credentialPrefix },
      ConsistentRead: true,
    }),
  );
  return Items.map((item) => Credential.parse(item));
}

/** One table call. @throws {NotFound} the owner has none of this provider */
export async function deleteCredential(
  table: Table,
  owner: CredentialOwner,
  provider: string,
): Promise<void> {
  const { Attributes } = await table.client.send(
    new DeleteCommand({
      TableName: table.name,
      Key: credentialKey(owner, provider),
      ReturnValues: 'ALL_OLD',
    }),
  );
  if (!Attributes) throw new NotFound('Credential');
}
