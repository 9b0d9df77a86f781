// GET /api/auth/sessions

import { publicSessionId } from '../../domain/sessions/session.js';
import { listSessions } from '../../domain/sessions/user-sessions.js';
import { sessionRoute } from '../../edge/session-route.js';
import { sessions } from './contract.js';

export const handler = sessionRoute(sessions, async ({ user, table, now }) => {
  const live = (await listSessions(table, user.userId)).filter(
    ({ expiresAt }) => expiresAt > now.getTime() / 1000,
  );
  return {
    status: 200,
    body: {
      sessions: live.map((session) => ({
        id: publicSessionId(session),
        createdAt: session.createdAt,
        expiresAt: new Date(session.expiresAt * 1000).toISOString(),
        isCurrent: session.sessionHash === user.sessionHash,
        client: session.client ?? null,
      })),
    },
  };
});
