import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { User, userKey } from './user.js';

/** One table call. */
export async function findUser(table: Table, userId: string): Promise<User | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: userKey(userId), ConsistentRead: true }),
  );
  return Item && User.parse(Item);
}
