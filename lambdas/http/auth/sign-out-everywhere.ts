// POST /api/auth/sign-out-everywhere
import { endAccess } from '../../domain/users/end-access.js';
import { clearedSessionCookie } from '../../edge/cookies.js';
import { sessionRoute } from '../../edge/session-route.js';
import { signOutEverywhere } from './contract.js';

export const handler = sessionRoute(signOutEverywhere, async ({ user, table, now }) => {
  await endAccess(table, { userId: user.userId, now });
  return { status: 200, body: { success: true }, cookies: [clearedSessionCookie] };
});
