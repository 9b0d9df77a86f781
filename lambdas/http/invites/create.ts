// POST /api/projects/{projectId}/invites
import { createInvite } from '../../domain/members/manage-invites.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { create } from './contract.js';
import { inviteView } from './invite-view.js';

export const handler = capabilityRoute(create, async ({ params, body, user, table, now, newId }) => {
  const draft = { inviteId: newId(), projectId: params.projectId, role: body.role, createdBy: user.userId };
  const { invite, token } = await createInvite(table, { ...draft, days: body.expiresInDays }, now);
  return { status: 201, headers: { 'cache-control': 'no-store' }, body: { ...inviteView(invite), token } };
});
