import type { Table } from '../../shared/table.js';
import { changeItem } from '../records/change-item.js';
import { endSessions } from '../sessions/end-sessions.js';
import { User, userKey } from './user.js';

/** What changes of a person along with the end of all their sessions; nothing of it for a mere sign-out. */
export type AccessChange = Partial<Pick<User, 'role' | 'status' | 'suspendedBy' | 'accessCheckedAt'>>;

export interface AccessEnd {
  readonly userId: string;
  readonly change?: AccessChange;
  /** Only if the person's status and role are still these. */
  readonly when?: Partial<Pick<User, 'role' | 'status'>>;
  readonly now: Date;
}

/**
 * Ends all sessions of a person, and with a change of status all that they have running. The write of the person's row
 * is the end: each check of a session or right reads that row. What is open already is ended by the saga that the
 * table's stream starts for a new `accessVersion`. Three table calls, and one more for every 25 sessions.
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
  if (!outcome.changed) return undefined;
  await endSessions(table, userId);
  return User.parse(outcome.item);
}
