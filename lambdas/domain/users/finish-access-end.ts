import type { Table } from '../../shared/table.js';
import { stopWorkspacesOf, type WorkspaceEnds } from '../members/stop-member-workspaces.js';
import { deleteItems } from '../records/batch-items.js';
import { sessionKey } from '../sessions/session.js';
import { listSessions } from '../sessions/user-sessions.js';
import { findUser } from './find-user.js';

/**
 * Ends what is still open of a person whose sessions or rights have ended: the rows of the
 * sessions, which the table's stream follows to live sockets and nodes, and of somebody who is not
 * active all workspaces and their git tokens. A repeat finds only what is left.
 *
 * @throws {AggregateError} some workspaces could not be stopped; the others were
 */
export async function finishAccessEnd(table: Table, userId: string, ends: WorkspaceEnds): Promise<void> {
  const user = await findUser(table, userId);
  if (!user) return;
  const { sessionsEndedAt = '', status } = user;
  const over = (await listSessions(table, userId)).filter(
    ({ createdAt }) => status !== 'active' || createdAt <= sessionsEndedAt,
  );
  await deleteItems(
    table,
    over.map(({ sessionHash }) => sessionKey(sessionHash)),
  );
  if (status !== 'active') await stopWorkspacesOf(table, { userId }, ends);
}
