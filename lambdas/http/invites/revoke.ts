// DELETE /api/projects/{projectId}/invites/{inviteId}
import { revokeInvite } from '../../domain/members/manage-invites.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { revoke } from './contract.js';

export const handler = capabilityRoute(revoke, async ({ params, table }) => {
  await revokeInvite(table, params.projectId, params.inviteId);
  return { status: 200, body: { success: true } };
});
