import { sessionLifetimeSeconds } from '../domain/sessions/session.js';

/** The `__Host-` prefix makes browsers refuse it unless it is Secure, host-only and for every path. */
export const sessionCookieName = '__Host-berth_session';

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export const sessionCookie = (secret: string): string =>
  `${sessionCookieName}=${secret}; Max-Age=${sessionLifetimeSeconds}; ${attributes}`;

export const clearedSessionCookie = `${sessionCookieName}=; Max-Age=0; ${attributes}`;
