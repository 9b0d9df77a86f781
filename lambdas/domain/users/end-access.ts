import type { Table } from '../../shared/table.js';
import { stopWorkspacesOf, type WorkspaceEnds } from '../members/stop-member-workspaces.js';
import { deleteItems } from '../records/batch-items.js';
import { changeItem } from '../records/change-item.js';
import { sessionKey } from '../sessions/session.js';
import { listSessions } from '../sessions/user-sessions.js';
import { findUser } from './find-user.js';
import { User, userKey } from './user.js';

/**
 * What changes of a person along with the end of all their sessions; nothing of it for a mere
 * sign-out.
 */
type AccessChange = Partial<Pick<User, 'role' | 'status' | 'suspendedBy'>>;

interface AccessEnd {
  readonly userId: string;
  readonly change?: AccessChange;
  /** Only if they are still so. */
  readonly when?: Partial<Pick<User, 'role' | 'status' | 'updatedAt'>>;
  readonly now: Date;
}

/**
 * Ends all sessions of a person, and with their status all that they have. The write of the row is
 * the end: each check of a session or a right reads the row. What is open already is ended by the
 * saga that the table's stream starts for each new `accessVersion`. One table call.
 *
 * @returns the person after it; nothing where there is none, or `when` does not hold
 */
export async function endAccess(
  table: Table,
  { userId, change = {}, when = {}, now }: AccessEnd,
): Promise<User | undefined> {
  const at = now.toISOString();
  const outcome = await changeItem(table, {
    key: userKey(userId),
    set: { ...change, sessionsEndedAt: at, updatedAt: at },
    add: { accessVersion: 1 },
    when: { exists: true, equals: when },
  });
  return outcome.changed ? User.parse(outcome.item) : undefined;
}

export interface EndedAccess {
  readonly userId: string;
  readonly accessVersion: number;
}

type Item = Readonly<Record<string, unknown>>;

/** Whose sessions or rights have ended by this change of the table. */
export function endedAccess(before: Item | undefined, after: Item | undefined): EndedAccess | undefined {
  if (before?.entity !== 'user' || !after) return undefined;
  const { userId, accessVersion } = User.parse(after);
  return accessVersion === undefined || accessVersion === before.accessVersion
    ? undefined
    : { userId, accessVersion };
}

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
