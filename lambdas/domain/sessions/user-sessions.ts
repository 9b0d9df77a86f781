import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { NotFound } from '../../shared/errors.js';
import { byOwner, type Table } from '../../shared/table.js';
import { deleteItems } from '../records/batch-items.js';
import { hashSessionSecret, publicSessionId, Session, sessionKey, userSessions } from './session.js';

/** Deletes the session that this cookie value opens. Repeatable: a missing session is no error. */
export async function deleteSession(table: Table, secret: string): Promise<void> {
  await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: sessionKey(hashSessionSecret(secret)) }),
  );
}

/**
 * Ends one session of a person. Two table calls.
 *
 * @throws {NotFound} the session has ended, or belongs to another person
 */
export async function endOwnSession(
  table: Table,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<void> {
  const found = (await listSessions(table, userId)).find((one) => publicSessionId(one) === sessionId);
  if (!found) throw new NotFound('Session');
  await deleteItems(table, [sessionKey(found.sessionHash)]);
}

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
