// GET /api/projects/{projectId}/invites
import { listInvites } from '../../domain/members/manage-invites.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { list } from './contract.js';
import { inviteView } from './invite-view.js';

export const handler = capabilityRoute(list, async ({ params, table, now }) => {
  const invites = await listInvites(table, params.projectId, now);
  return { status: 200, body: { invites: invites.map(inviteView) } };
});
