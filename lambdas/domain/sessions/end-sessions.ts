import type { Table } from '../../shared/table.js';
import { deleteItems } from '../records/delete-items.js';
import { listSessions } from './list-sessions.js';
import { sessionKey } from './session.js';

/**
 * Ends all sessions of a user, before what they copy of the user is changed. One table call, and one more for every 25
 * sessions.
 *
 * @throws {Unavailable} not all of them could be ended
 */
export async function endSessions(table: Table, userId: string): Promise<void> {
  const sessions = await listSessions(table, userId);
  await deleteItems(
    table,
    sessions.map(({ sessionHash }) => sessionKey(sessionHash)),
  );
}
