import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { grantKey } from '../code-host/grant.js';
import { Installation } from '../code-host/installation.js';
import { Identity, identityKey, User, userKey } from './user.js';

export interface Acquaintance {
  /** The user this account belongs to, if it has signed in before. */
  readonly user: User | undefined;
  /** What was recorded of their installations. */
  readonly installations: readonly Installation[];
}

/** Who an account of the code host is to us. One table call for a newcomer, two for others. */
export async function findByProfile(table: Table, githubId: string): Promise<Acquaintance> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: identityKey(githubId), ConsistentRead: true }),
  );
  return Item ? findPerson(table, Identity.parse(Item).userId) : { user: undefined, installations: [] };
}

/** What lies between grant and user: installations, and the few small items that keep names unique. */
async function findPerson(table: Table, userId: string): Promise<Acquaintance> {
  const { pk, sk } = userKey(userId);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      FilterExpression: '#entity IN (:user, :installation)',
      ExpressionAttributeNames: { '#entity': 'entity' },
      ExpressionAttributeValues: {
        ':pk': pk,
        ':first': grantKey(userId).sk,
        ':last': sk,
        ':user': 'user',
        ':installation': 'installation',
      },
      ConsistentRead: true,
    }),
  );
  const user = Items.find(({ entity }) => entity === 'user');
  return {
    user: user && User.parse(user),
    installations: Items.filter(({ entity }) => entity === 'installation').map((item) =>
      Installation.parse(item),
    ),
  };
}
