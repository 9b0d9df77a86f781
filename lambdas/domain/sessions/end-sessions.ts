import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Unavailable } from '../../shared/errors.js';
import { byOwner, type Table } from '../../shared/table.js';
import { Session, sessionKey, userSessions } from './session.js';

/** What one batch may write. */
const batchSize = 25;

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
  const ended = Items.map((item) => Session.parse(item).sessionHash);
  for (let from = 0; from < ended.length; from += batchSize) {
    const requests = ended
      .slice(from, from + batchSize)
      .map((hash) => ({ DeleteRequest: { Key: sessionKey(hash) } }));
    const { UnprocessedItems } = await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: requests } }),
    );
    if (Object.keys(UnprocessedItems ?? {}).length > 0) {
      throw new Unavailable('Earlier sessions could not be ended; sign in again');
    }
  }
}
