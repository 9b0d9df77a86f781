import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { byOwner, type Table } from '../../shared/table.js';
import { deleteItems } from '../records/delete-items.js';
import { Session, sessionKey, userSessions } from './session.js';

/**
 * Ends all sessions of a user, before what they copy of the user is changed. One table call, and one more for every 25
 * sessions.
 *
 * @throws {Unavailable} not all of them could be ended
 */
export async function endSessions(table: Table, userId: string): Promise<void> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: byOwner,
      KeyConditionExpression: 'ownerPk = :sessions',
      ExpressionAttributeValues: { ':sessions': userSessions(userId) },
    }),
  );
  await deleteItems(
    table,
    Items.map((item) => sessionKey(Session.parse(item).sessionHash)),
  );
}
