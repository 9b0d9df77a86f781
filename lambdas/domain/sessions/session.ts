import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { Ulid } from '../../../protocol/ids.js';
import { hashText } from '../../shared/hash-text.js';

export const sessionLifetimeSeconds = 7 * 24 * 60 * 60;

/** What a person may do beyond their own things. */
export const Role = z.enum(['superadmin', 'admin', 'user']);
export type Role = z.infer<typeof Role>;

/**
 * One sign-in. The cookie holds the secret, the table only its hash. Each request reads the session
 * together with its user, so that a change of role or status holds for the next request.
 */
export const Session = z.object({
  sessionHash: z.string(),
  userId: Ulid,
  /** Signs the cursors handed out in this session; it never leaves the control plane. */
  cursorKey: z.string(),
  /** Browser and system at the sign-in. */
  client: z.optional(z.string()),
  createdAt: z.iso.datetime(),
  /** Epoch seconds. */
  expiresAt: z.int(),
});
export type Session = z.infer<typeof Session>;

const secretForm = /^([0-9A-HJKMNP-TV-Z]{26})\.[\w-]{43}$/;

/**
 * The user that a cookie's value names, so that session and membership are read in one call. Trust
 * it only after the session was found by the hash of the whole value.
 */
export const userOfSecret = (secret: string): string | null => secretForm.exec(secret)?.[1] ?? null;

export const hashSessionSecret = (secret: string): string => hashText(secret);

/** The id that the API shows. It opens nothing: the cookie's secret cannot be derived from it. */
export const publicSessionId = ({ sessionHash }: Pick<Session, 'sessionHash'>): string =>
  hashText(`session ${sessionHash}`).slice(0, 22);

export const sessionKey = (sessionHash: string) => ({ pk: `SESSION#${sessionHash}`, sk: 'SESSION' });

export const userSessions = (userId: string): string => `USER#${userId}#SESSIONS`;

export const sessionItem = (session: Session) => ({
  ...sessionKey(session.sessionHash),
  entity: 'session',
  schemaVersion: 1,
  ownerPk: userSessions(session.userId),
  ownerSk: session.createdAt,
  ...session,
});

const randomSecret = () => randomBytes(32).toString('base64url');

/**
 * A session of seven days, and the secret for its cookie. Only the hash of the secret is stored.
 */
export function newSession(
  user: { readonly userId: string; readonly client?: string | undefined },
  now: Date,
): { readonly secret: string; readonly session: Session } {
  const secret = `${user.userId}.${randomSecret()}`;
  return {
    secret,
    session: {
      sessionHash: hashSessionSecret(secret),
      userId: user.userId,
      cursorKey: randomSecret(),
      ...(user.client === undefined ? {} : { client: user.client }),
      createdAt: now.toISOString(),
      expiresAt: Math.floor(now.getTime() / 1000) + sessionLifetimeSeconds,
    },
  };
}
