import { NotFound } from '../../shared/errors.js';
import type { Table } from '../../shared/table.js';
import { deleteItems } from '../records/batch-items.js';
import { listSessions } from './list-sessions.js';
import { publicSessionId, sessionKey } from './session.js';

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
