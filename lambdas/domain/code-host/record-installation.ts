import { TransactWriteCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { installationKey } from './installation.js';
import type { VisibleInstallation } from './visible-repositories.js';

/**
 * The write that records an installation, on its own or within a transaction. A repeat renews what
 * the code host says of it and keeps the time of the first; nothing that is there can be lost by
 * it, so it has no condition.
 */
export function putInstallation(
  table: Table,
  owner: { readonly userId: string; readonly now: Date },
  seen: VisibleInstallation,
): Pick<
  UpdateCommandInput,
  'TableName' | 'Key' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
> & { readonly UpdateExpression: string } {
  const { userId, now } = owner;
  return {
    TableName: table.name,
    Key: installationKey(userId, seen.installationId),
    UpdateExpression:
      'SET #entity = :entity, schemaVersion = :version, userId = :userId, installationId = :id, ' +
      'accountName = :name, accountType = :type, createdAt = if_not_exists(createdAt, :now), updatedAt = :now',
    ExpressionAttributeNames: { '#entity': 'entity' },
    ExpressionAttributeValues: {
      ':entity': 'installation',
      ':version': 1,
      ':userId': userId,
      ':id': seen.installationId,
      ':name': seen.accountName,
      ':type': seen.accountType,
      ':now': now.toISOString(),
    },
  };
}

/** A transaction holds at most 100 writes; what is left over goes at the next sign-in. */
const maxGone = 90;

/** Records an installation, and forgets those that are gone. One table call. */
export async function recordInstallation(
  table: Table,
  owner: { readonly userId: string; readonly now: Date },
  { seen, gone }: { readonly seen: VisibleInstallation; readonly gone: readonly string[] },
): Promise<void> {
  await table.client.send(
    new TransactWriteCommand({
      TransactItems: [
        { Update: putInstallation(table, owner, seen) },
        ...gone.slice(0, maxGone).map((installationId) => ({
          Delete: { TableName: table.name, Key: installationKey(owner.userId, installationId) },
        })),
      ],
    }),
  );
}
