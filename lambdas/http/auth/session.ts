// GET /api/auth/session
// Authorised by its own proof: it shows callers their own cookie, and nothing to a caller
// without one.
import { findSession } from '../../domain/sessions/find-session.js';
import { roleOf } from '../../domain/users/superadmins.js';
import { ownRoute } from '../../edge/anonymous-routes.js';
import { sessionCookieName } from '../../edge/cookies.js';
import { superadmins } from '../../edge/require-session.js';
import { session as contract } from './contract.js';

export const handler = ownRoute(contract, async ({ request, table, now }) => {
  const live = await findSession(table, { secret: request.cookies.get(sessionCookieName), now });
  if (!live) return { status: 200, body: null };
  const { session, user } = live;
  return {
    status: 200,
    body: {
      session: {
        createdAt: session.createdAt,
        expiresAt: new Date(session.expiresAt * 1000).toISOString(),
      },
      user: { ...user, id: user.userId, role: roleOf(superadmins, user) },
    },
  };
});
