import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { type CredentialOwner, credentialKey } from './credential.js';

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
