import { sessionLifetimeSeconds } from '../domain/sessions/session.js';

/** Trims space and tab only: else a sibling host's cookie could become one of our names. */
const surroundingSpace = /^[ \t]+|[ \t]+$/g;

/**
 * The cookies of a request by their exact name. A cookie of the platform (`__Host-`, `__Secure-`)
 * that comes twice is left out: a browser holds one of that name, so somebody else has added the
 * other.
 */
export function parseCookies(pairs: readonly string[]): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  const repeated = new Set<string>();
  for (const pair of pairs.flatMap((line) => line.split(';'))) {
    const cookie = pair.replaceAll(surroundingSpace, '');
    const end = cookie.indexOf('=');
    if (end < 0) continue;
    const name = cookie.slice(0, end);
    if (cookies.has(name)) repeated.add(name);
    cookies.set(name, cookie.slice(end + 1));
  }
  for (const name of repeated) if (/^__(?:Host|Secure)-/.test(name)) cookies.delete(name);
  return cookies;
}

/** Browsers accept `__Host-` cookies only if they are Secure, host-only and have path `/`. */
export const sessionCookieName = '__Host-berth_session';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export const sessionCookie = (secret: string): string =>
  `${sessionCookieName}=${secret}; Max-Age=${sessionLifetimeSeconds}; ${attributes}`;

export const clearedSessionCookie = `${sessionCookieName}=; Max-Age=0; ${attributes}`;
