// POST /api/auth/sign-out
// Authorised by its own proof: the cookie of the session that it ends; without one there is nothing
// to end.
import * as z from 'zod/mini';
import { deleteSession } from '../../domain/sessions/user-sessions.js';
import { ownRoute } from '../../edge/anonymous-routes.js';
import { clearedSessionCookie, sessionCookieName } from '../../edge/cookies.js';
import { requireSameOrigin } from '../../edge/http-request.js';
import { readEnv } from '../../shared/env.js';
import { signOut } from './contract.js';

const env = readEnv({ PUBLIC_URL: z.url() });

export const handler = ownRoute(signOut, async ({ request, table }) => {
  requireSameOrigin(request, 'POST', env.PUBLIC_URL);
  const secret = request.cookies.get(sessionCookieName);
  if (secret) await deleteSession(table, secret);
  return { status: 200, body: { success: true }, cookies: [clearedSessionCookie] };
});
