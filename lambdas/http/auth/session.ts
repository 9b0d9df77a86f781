// GET /api/auth/session
// Authorised by its own proof: it tells a caller about their own cookie, and nothing to a caller without one.
import { findSession } from '../../domain/sessions/find-session.js';
import { findUser } from '../../domain/users/find-user.js';
import { ownRoute } from '../../edge/own-route.js';
import { sessionCookieName } from '../../edge/session-cookie.js';
import { session as contract } from './contract.js';

export const handler = ownRoute(contract, async ({ request, table, now }) => {
  const secret = request.cookies.get(sessionCookieName);
  const session = secret ? await findSession(table, { secret, now }) : undefined;
  const user = session && (await findUser(table, session.userId));
  if (!session || !user) return { status: 200, body: null };
  return {
    status: 200,
    body: {
      session: {
        createdAt: session.createdAt,
        expiresAt: new Date(session.expiresAt * 1000).toISOString(),
      },
      user: { ...user, id: user.userId },
    },
  };
});
