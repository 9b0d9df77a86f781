import type { Table } from '../../shared/table.js';
import { type Find, getItems } from '../records/batch-items.js';
import type { Key } from '../records/changes.js';
import { isActive, User, userKey } from '../users/user.js';
import { hashSessionSecret, Session, sessionKey, userOfSecret } from './session.js';

/** A live session and the person whose it is, as both are now. */
export interface LiveSession {
  readonly session: Session;
  readonly user: User;
}

/** What a cookie value claims: the items that decide whether it opens anything. */
export interface SessionClaim {
  readonly userId: string;
  readonly keys: readonly [session: Key, user: Key];
}

/** Nothing for a value that no cookie of ours has. */
export function sessionClaim(secret: string | undefined): SessionClaim | undefined {
  const userId = secret && userOfSecret(secret);
  if (!secret || !userId) return undefined;
  return { userId, keys: [sessionKey(hashSessionSecret(secret)), userKey(userId)] };
}

/** The valid session of a cookie value, if its person is active. One table call. */
export async function findSession(
  table: Table,
  { secret, now }: { readonly secret: string | undefined; readonly now: Date },
): Promise<LiveSession | undefined> {
  const claim = sessionClaim(secret);
  return claim && liveSession(await getItems(table, claim.keys), claim, now);
}

/** DynamoDB's TTL removes expired rows late, and rows of ended sessions may still exist. */
export function liveSession(
  find: Find,
  { userId, keys: [sessionAt, userAt] }: SessionClaim,
  now: Date,
): LiveSession | undefined {
  const item = find(sessionAt);
  const person = find(userAt);
  if (!item || !isActive(person)) return undefined;
  const session = Session.parse(item);
  const user = User.parse(person);
  const isLive =
    session.userId === userId &&
    session.expiresAt > now.getTime() / 1000 &&
    (user.sessionsEndedAt === undefined || session.createdAt > user.sessionsEndedAt);
  return isLive ? { session, user } : undefined;
}
