import { findSession } from '../domain/sessions/find-session.js';
import type { Role, Session } from '../domain/sessions/session.js';
import { Unauthenticated } from '../shared/errors.js';
import type { Table } from '../shared/table.js';
import type { Call } from './route.js';
import { sessionCookieName } from './session-cookie.js';

/** The signed-in person who calls. */
export interface Caller {
  readonly userId: string;
  readonly role: Role;
  readonly sessionHash: string;
  /** Signs the cursors of this person's lists. */
  readonly cursorKey: string;
}

/**
 * One table call.
 *
 * @throws {Unauthenticated} no session cookie, or one that opens no live session
 */
export async function requireSession(
  table: Table,
  { request, now }: Pick<Call, 'request' | 'now'>,
): Promise<Caller> {
  const secret = request.cookies.get(sessionCookieName);
  const session = secret ? await findSession(table, { secret, now }) : undefined;
  if (!session) throw new Unauthenticated();
  return callerOf(session);
}

export function callerOf({ userId, role, sessionHash, cursorKey }: Session): Caller {
  return { userId, role, sessionHash, cursorKey };
}
