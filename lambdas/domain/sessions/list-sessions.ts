import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { Session, userSessions } from './session.js';

/** All sessions of a user. One table call. */
export async function listSessions(table: Table, userId: string): Promise<readonly Session[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :sessions',
      ExpressionAttributeValues: { ':sessions': userSessions(userId) },
    }),
  );
  return Items.map((item) => Session.parse(item));
}
