import { randomBytes } from 'node:crypto';
import { hashSessionSecret, type Session, sessionLifetimeSeconds } from './session.js';

const randomSecret = () => randomBytes(32).toString('base64url');

/** A session of seven days and the secret that opens it, which goes into the cookie and is stored nowhere. */
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
