// DELETE /api/auth/sessions/{sessionId}
import { endOwnSession } from '../../domain/sessions/user-sessions.js';
import { sessionRoute } from '../../edge/session-route.js';
import { endSession } from './contract.js';

export const handler = sessionRoute(endSession, async ({ params, user, table }) => {
  await endOwnSession(table, { userId: user.userId, sessionId: params.sessionId });
  return { status: 200, body: { success: true } };
});
