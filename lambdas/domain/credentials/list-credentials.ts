import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Credential, type CredentialOwner, credentialPrefix, credentialsOf } from './credential.js';

/** All of one owner: at most one a provider. One table call. */
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
