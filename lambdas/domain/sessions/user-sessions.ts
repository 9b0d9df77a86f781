import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { deleteItems } from '../records/batch-items.js';
import { listSessions } from './list-sessions.js';
import { hashSessionSecret, publicSessionId, sessionKey } from './session.js';

/**
 * Ends the session that this cookie value opens. Ending it twice, or one that never was, is no error: what the
 * caller wants already holds, so the delete needs no condition.
 */
export async function deleteSession(table: Table, secret: string): Promise<void> {
  await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: sessionKey(hashSessionSecret(secret)) }),
  );
}

/**
 * Ends one session of a person. Two table calls.
 *
 * @throws {NotFound} it is over, or none of theirs
 */
export async function endOwnSession(
  table: Table,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<void> {
  const found = (await listSessions(table, userId)).find((one) => publicSessionId(one) === sessionId);
  if (!found) throw new NotFound('Session');
  await deleteItems(table, [sessionKey(found.sessionHash)]);
}
