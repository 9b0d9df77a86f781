// POST /api/projects/{projectId}/leave
import { removeMember } from '../../domain/members/change-member.js';
import { capabilityRoute } from '../../edge/capability-route.js';
import { leave } from './contract.js';

export const handler = capabilityRoute(leave, async ({ member, table, now }) => {
  await removeMember(table, { actor: member, target: member, now });
  return { status: 200, body: { success: true } };
});
