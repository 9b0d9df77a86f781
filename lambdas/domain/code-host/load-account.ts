import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { Grant, grantKey } from './grant.js';
import { Installation, installationPrefix } from './installation.js';

/** What we hold of a user's account on the code host. */
export interface CodeHostAccount {
  /** Absent before the first sign-in is complete. */
  readonly grant: Grant | undefined;
  readonly installations: readonly Installation[];
}

/** One table call: grant and installations lie side by side. */
export async function loadAccount(table: Table, userId: string): Promise<CodeHostAccount> {
  const { pk, sk } = grantKey(userId);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :grant AND :lastInstallation',
      ExpressionAttributeValues: { ':pk': pk, ':grant': sk, ':lastInstallation': `${installationPrefix}~` },
      ConsistentRead: true,
    }),
  );
  const grant = Items.find((item) => item.sk === sk);
  return {
    grant: grant && Grant.parse(grant),
    installations: Items.filter((item) => String(item.sk).startsWith(installationPrefix)).map((item) =>
      Installation.parse(item),
    ),
  };
}
