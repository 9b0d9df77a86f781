import * as z from 'zod/mini';
import { findSession, type LiveSession } from '../domain/sessions/find-session.js';
import type { Role } from '../domain/sessions/session.js';
import { readSuperadmins, roleOf } from '../domain/users/superadmins.js';
import { readEnv } from '../shared/env.js';
import { Unauthenticated } from '../shared/errors.js';
import type { Table } from '../shared/table.js';
import { sessionCookieName } from './cookies.js';
import type { Call } from './route.js';

/** The signed-in person who calls. */
export interface Caller {
  readonly userId: string;
  /** As the user's row and the setting say now. */
  readonly role: Role;
  readonly sessionHash: string;
  /** Signs the cursors of this person's lists. */
  readonly cursorKey: string;
}

/**
 * One table call.
 *
 * @throws {Unauthenticated} no session cookie, or one that opens no live session of an active user
 */
export async function requireSession(
  table: Table,
  { request, now }: Pick<Call, 'request' | 'now'>,
): Promise<Caller> {
  const live = await findSession(table, { secret: request.cookies.get(sessionCookieName), now });
  if (!live) throw new Unauthenticated();
  return callerOf(live);
}

export function callerOf({ session, user }: LiveSession): Caller {
  const { userId, sessionHash, cursorKey } = session;
  return { userId, role: roleOf(superadmins, user), sessionHash, cursorKey };
}

const env = readEnv({ SUPERADMINS: z._default(z.string(), '') });

/**
 * Of this deployment. Read from the environment, so that a changed setting holds once it is
 * deployed.
 */
export const superadmins = readSuperadmins(env.SUPERADMINS);
