// POST /api/invites/accept
import { acceptInvite } from '../../domain/members/accept-invite.js';
import { sessionRoute } from '../../edge/session-route.js';
import { accept } from './contract.js';

export const handler = sessionRoute(accept, async ({ body, user, table, now }) => {
  const { projectId, role, project } = await acceptInvite(table, {
    token: body.token,
    userId: user.userId,
    now,
  });
  return { status: 200, body: { projectId, name: project.name, role } };
});
