import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/table.js';
import { hashSessionSecret, sessionKey } from './session.js';

/**
 * Ends the session that this cookie value opens. Ending it twice, or one that never was, is no error: what the
 * caller wants already holds, so the delete needs no condition.
 */
export async function deleteSession(table: Table, secret: string): Promise<void> {
  await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: sessionKey(hashSessionSecret(secret)) }),
  );
}
