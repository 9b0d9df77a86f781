import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { grantKey } from '../code-host/grant.js';
import { Installation } from '../code-host/installation.js';
import { type PageRequest, queryPage } from '../cursors/query-page.js';
import { allUsers, Identity, identityKey, User, userKey } from './user.js';

/** One table call. */
export async function findUser(table: Table, userId: string): Promise<User | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: userKey(userId), ConsistentRead: true }),
  );
  return Item && User.parse(Item);
}

/** All users, newest first: their ids sort by the time they were made. One table call. */
export async function pageUsers(
  table: Table,
  page: Omit<PageRequest, 'query'>,
): Promise<{ readonly users: readonly User[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await queryPage(
    table,
    {
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :users',
      ExpressionAttributeValues: { ':users': allUsers },
      ScanIndexForward: false,
    },
    { ...page, query: 'users' },
  );
  return { users: items.map((item) => User.parse(item)), nextCursor };
}

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

/**
 * What lies between grant and user: installations, and the few small items that keep names unique.
 */
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
