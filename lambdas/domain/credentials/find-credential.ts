import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Credential, type CredentialOwner, credentialKey } from './credential.js';

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
